-- What revision 0014 left to servers of the version before, which stop before they meet revision 0013 already.
ALTER TABLE ideas DROP COLUMN written;
ALTER TABLE initiatives DROP COLUMN written;
ALTER TABLE insights DROP COLUMN written;
ALTER TABLE signals DROP COLUMN written;
ALTER TABLE portals DROP COLUMN secret_rotated_at;

DROP TRIGGER document_generations_count_alike ON document_generations;
DROP FUNCTION count_requests_alike;
ALTER TABLE document_generations DROP COLUMN wishes;
