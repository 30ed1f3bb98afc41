-- The transaction that wrote a record is known from its lines in `changes`, which a reader follows in this order.
CREATE INDEX changes_by_writing ON changes (written, id);

ALTER TABLE products DROP COLUMN written;
ALTER TABLE accounts DROP COLUMN written;
ALTER TABLE opportunities DROP COLUMN written;
ALTER TABLE study_feedback DROP COLUMN written;

-- Servers of the version before write these, and keep serving while others are upgraded.
COMMENT ON COLUMN ideas.written IS 'Unused since revision 0014; to be dropped by the next release.';
COMMENT ON COLUMN initiatives.written IS 'Unused since revision 0014; to be dropped by the next release.';
COMMENT ON COLUMN insights.written IS 'Unused since revision 0014; to be dropped by the next release.';
COMMENT ON COLUMN signals.written IS 'Unused since revision 0014; to be dropped by the next release.';
COMMENT ON COLUMN portals.secret_rotated_at IS 'Unused since revision 0014; to be dropped by the next release.';
