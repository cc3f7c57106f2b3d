"""Files: tables in and out, features from columns, model files."""
