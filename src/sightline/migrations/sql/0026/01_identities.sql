-- An identity is an idea's own or an alias, never both. Each table has its unique indexes; these triggers hold the two
-- apart. Writers of identities share a lock of the workspace, which a transaction with aliases takes for itself at its
-- end: it waits for identities that are being written, and those that come later see its aliases. Sharing it costs
-- one lock for each transaction, however many ideas it writes.
-- `enable_seqscan`: the plan outlives the small table for which it may be made, as a file adds both.
CREATE FUNCTION refuse_identity_of_alias() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('sightline aliases ' || NEW.workspace_id, 0));
    IF EXISTS (SELECT FROM idea_aliases
                WHERE workspace_id = NEW.workspace_id AND external_id = NEW.external_id
                  AND (source_key = NEW.source_key OR integration_id = NEW.integration_id)) THEN
        RAISE unique_violation USING MESSAGE = format('The identity %L is an alias of another idea', NEW.external_id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER refuse_identity_added AFTER INSERT ON ideas FOR EACH ROW
    WHEN (NEW.external_id IS NOT NULL AND (NEW.source_key IS NOT NULL OR NEW.integration_id IS NOT NULL))
    EXECUTE FUNCTION refuse_identity_of_alias();
CREATE TRIGGER refuse_identity_changed AFTER UPDATE OF source_key, integration_id, external_id ON ideas FOR EACH ROW
    WHEN (NEW.source_key IS NOT NULL AND (NEW.source_key, NEW.external_id) IS DISTINCT FROM (OLD.source_key, OLD.external_id)
          OR NEW.integration_id IS NOT NULL
             AND (NEW.integration_id, NEW.external_id) IS DISTINCT FROM (OLD.integration_id, OLD.external_id))
    EXECUTE FUNCTION refuse_identity_of_alias();

CREATE FUNCTION refuse_alias_of_identity() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('sightline aliases ' || NEW.workspace_id, 0));
    IF EXISTS (SELECT FROM ideas
                WHERE workspace_id = NEW.workspace_id AND external_id = NEW.external_id
                  AND (source_key = NEW.source_key OR integration_id = NEW.integration_id)) THEN
        RAISE unique_violation USING MESSAGE = format('The alias %L is the identity of an idea', NEW.external_id);
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER refuse_alias_added AFTER INSERT OR UPDATE OF source_key, integration_id, external_id
    ON idea_aliases DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_alias_of_identity();
