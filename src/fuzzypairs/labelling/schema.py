"""The SQL of the store: tables, triggers and views, one script a version.

`PRAGMA user_version` counts the scripts that a file has seen. A script that was
released is never changed: a new version is a further entry.
"""

__all__ = ["MIGRATIONS"]

# What a person answers to a pair. Only these can be undone; an edit is an answer to an
# earlier answer.
ANSWERS = "'graded', 'unsure', 'skipped', 'bad item', 'edited'"

FIRST = f"""
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- The items that answers name, as they were when they were first shown.
CREATE TABLE items (
    id TEXT PRIMARY KEY,
    row INTEGER NOT NULL,
    digest TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT UNIQUE,                 -- of the sender: sent twice, it is stored once
    kind TEXT NOT NULL CHECK (kind IN ({ANSWERS}, 'undone', 'redone', 'note')),
    left_id TEXT NOT NULL,           -- as shown
    right_id TEXT NOT NULL,
    grade REAL CHECK (grade BETWEEN -1 AND 1),
    annotator TEXT NOT NULL,
    target INTEGER REFERENCES events (id),
    strategy TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    input TEXT NOT NULL DEFAULT '',
    seconds REAL,                    -- from the pair on screen to the answer
    note TEXT NOT NULL DEFAULT '',
    time TEXT NOT NULL,              -- UTC, ISO 8601
    CHECK (left_id <> right_id),
    CHECK ((kind = 'graded') <= (grade IS NOT NULL)),
    CHECK ((kind IN ('edited', 'undone', 'redone')) = (target IS NOT NULL))
);
CREATE INDEX events_by_target ON events (target) WHERE target IS NOT NULL;
CREATE INDEX events_by_annotator ON events (annotator, id);

CREATE TRIGGER events_stay BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never changed: append another'); END;
CREATE TRIGGER events_last BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted: append another'); END;

-- Answers that were not undone, or done again since.
CREATE VIEW standing AS
SELECT * FROM events AS e
WHERE kind IN ({ANSWERS}) AND coalesce(
    (SELECT u.kind FROM events AS u
     WHERE u.target = e.id AND u.kind IN ('undone', 'redone')
     ORDER BY u.id DESC LIMIT 1), 'redone') = 'redone';

-- Each answered question with its grade after the last edit; NULL for skipped ones and
-- bad items.
CREATE VIEW answers AS
SELECT s.id, s.kind AS first_kind, s.left_id, s.right_id, s.annotator, s.strategy,
    s.reason, s.input, s.seconds, s.time, s.note,
    CASE WHEN x.id IS NULL THEN s.kind WHEN x.grade = 0 THEN 'unsure' ELSE 'graded' END
        AS kind,
    CASE WHEN x.id IS NULL THEN CASE s.kind WHEN 'unsure' THEN 0.0 ELSE s.grade END
        ELSE x.grade END AS grade,
    x.id IS NOT NULL AS edited
FROM standing AS s
LEFT JOIN events AS x ON x.id =
    (SELECT max(y.id) FROM standing AS y WHERE y.target = s.id AND y.kind = 'edited')
WHERE s.kind <> 'edited';

-- What fits read: answers with a grade, 0 for "can't say", none about bad items.
CREATE VIEW judgements AS
SELECT id, min(left_id, right_id) AS a, max(left_id, right_id) AS b, grade, annotator,
    strategy, reason, input, seconds, time
FROM answers
WHERE grade IS NOT NULL
    AND left_id NOT IN (SELECT id FROM bad_items)
    AND right_id NOT IN (SELECT id FROM bad_items);

-- A bad item is reported as the left one of its event.
CREATE VIEW bad_items AS
SELECT DISTINCT left_id AS id FROM answers WHERE kind = 'bad item';
"""

# Of the answers of one person to one pair only the newest counts, or the one that was
# edited last: who is asked again corrects.
SECOND = """
DROP VIEW judgements;
CREATE VIEW judgements AS
SELECT id, a, b, grade, annotator, strategy, reason, input, seconds, time
FROM (
    SELECT *, row_number() OVER (PARTITION BY annotator, a, b ORDER BY changed DESC)
        AS age
    FROM (
        SELECT *, min(left_id, right_id) AS a, max(left_id, right_id) AS b,
            CASE WHEN edited THEN
                (SELECT max(y.id) FROM standing AS y
                 WHERE y.target = answers.id AND y.kind = 'edited')
            ELSE id END AS changed
        FROM answers
        WHERE grade IS NOT NULL
            AND left_id NOT IN (SELECT id FROM bad_items)
            AND right_id NOT IN (SELECT id FROM bad_items)
    )
)
WHERE age = 1;
"""

# Somebody who sorts items into piles judges all their pairs by one answer: the events
# are part of the first of them, and undone with it.
THIRD = f"""
DROP VIEW judgements;
DROP VIEW bad_items;
DROP VIEW answers;
DROP VIEW standing;
ALTER TABLE events ADD COLUMN part_of INTEGER REFERENCES events (id);
CREATE INDEX events_by_part ON events (part_of) WHERE part_of IS NOT NULL;

CREATE VIEW standing AS
SELECT * FROM events AS e
WHERE kind IN ({ANSWERS}) AND coalesce(
    (SELECT u.kind FROM events AS u
     WHERE u.target = coalesce(e.part_of, e.id) AND u.kind IN ('undone', 'redone')
     ORDER BY u.id DESC LIMIT 1), 'redone') = 'redone';

CREATE VIEW answers AS
SELECT s.id, s.kind AS first_kind, s.left_id, s.right_id, s.annotator, s.strategy,
    s.reason, s.input, s.seconds, s.time, s.note, coalesce(s.part_of, s.id) AS answer,
    CASE WHEN x.id IS NULL THEN s.kind WHEN x.grade = 0 THEN 'unsure' ELSE 'graded' END
        AS kind,
    CASE WHEN x.id IS NULL THEN CASE s.kind WHEN 'unsure' THEN 0.0 ELSE s.grade END
        ELSE x.grade END AS grade,
    x.id IS NOT NULL AS edited
FROM standing AS s
LEFT JOIN events AS x ON x.id =
    (SELECT max(y.id) FROM standing AS y WHERE y.target = s.id AND y.kind = 'edited')
WHERE s.kind <> 'edited';

CREATE VIEW bad_items AS
SELECT DISTINCT left_id AS id FROM answers WHERE kind = 'bad item';

CREATE VIEW judgements AS
SELECT id, a, b, grade, annotator, strategy, reason, input, seconds, time, answer
FROM (
    SELECT *, row_number() OVER (PARTITION BY annotator, a, b ORDER BY changed DESC)
        AS age
    FROM (
        SELECT *, min(left_id, right_id) AS a, max(left_id, right_id) AS b,
            CASE WHEN edited THEN
                (SELECT max(y.id) FROM standing AS y
                 WHERE y.target = answers.id AND y.kind = 'edited')
            ELSE id END AS changed
        FROM answers
        WHERE grade IS NOT NULL
            AND left_id NOT IN (SELECT id FROM bad_items)
            AND right_id NOT IN (SELECT id FROM bad_items)
    )
)
WHERE age = 1;
"""

# What people call the cluster of an item, whatever number it has in a fit.
FOURTH = """
CREATE TABLE cluster_names (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL
) WITHOUT ROWID;
"""

MIGRATIONS = (FIRST, SECOND, THIRD, FOURTH)
