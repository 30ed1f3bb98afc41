-- `requests` replaces `wishes`, which servers of the version before count. While both are written they stay equal.
ALTER TABLE document_generations ADD COLUMN requests integer NOT NULL DEFAULT 1;
UPDATE document_generations SET requests = wishes WHERE wishes <> 1;
COMMENT ON COLUMN document_generations.wishes IS
    'Unused since revision 0014; to be dropped by the next release, with its trigger.';

CREATE FUNCTION count_requests_alike() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.requests := greatest(NEW.requests, NEW.wishes);
    NEW.wishes := NEW.requests;
    RETURN NEW;
END $$;
CREATE TRIGGER document_generations_count_alike BEFORE UPDATE ON document_generations
    FOR EACH ROW WHEN (NEW.requests <> NEW.wishes) EXECUTE FUNCTION count_requests_alike();
