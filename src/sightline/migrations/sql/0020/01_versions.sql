-- The version of a record that lost a reference moves after the update, no longer before it: a table that has a trigger
-- before updates computes its generated columns, such as the words to search, again at each of them.
CREATE OR REPLACE FUNCTION move_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('UPDATE %s SET version = version + 1 WHERE workspace_id = $1 AND id = $2', TG_RELID::regclass)
      USING NEW.workspace_id, NEW.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER ideas_lose_reference AFTER UPDATE ON ideas FOR EACH ROW
    WHEN (NEW.version = OLD.version AND (OLD.product_id, OLD.initiative_id, OLD.integration_id)
          IS DISTINCT FROM (NEW.product_id, NEW.initiative_id, NEW.integration_id))
    EXECUTE FUNCTION move_version();
CREATE OR REPLACE TRIGGER initiatives_lose_reference AFTER UPDATE ON initiatives FOR EACH ROW
    WHEN (NEW.version = OLD.version AND OLD.product_id IS DISTINCT FROM NEW.product_id)
    EXECUTE FUNCTION move_version();
CREATE OR REPLACE TRIGGER signals_lose_reference AFTER UPDATE ON signals FOR EACH ROW
    WHEN (NEW.version = OLD.version AND (OLD.account_id, OLD.integration_id)
          IS DISTINCT FROM (NEW.account_id, NEW.integration_id))
    EXECUTE FUNCTION move_version();
CREATE OR REPLACE TRIGGER insights_lose_reference AFTER UPDATE ON insights FOR EACH ROW
    WHEN (NEW.version = OLD.version AND OLD.merged_into IS DISTINCT FROM NEW.merged_into)
    EXECUTE FUNCTION move_version();
