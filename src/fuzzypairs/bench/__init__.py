"""Speed on this machine, as ratios against other packages in the same run."""
