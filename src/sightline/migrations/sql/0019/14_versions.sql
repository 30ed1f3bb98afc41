-- A version moves with everything that is shown, also when a deleted record takes a reference along (ON DELETE SET
-- NULL). Statements of ours move it themselves; the condition is false for them.
CREATE FUNCTION move_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + 1;
    RETURN NEW;
END $$;

CREATE TRIGGER ideas_lose_reference BEFORE UPDATE ON ideas FOR EACH ROW
    WHEN (NEW.version = OLD.version AND (OLD.product_id, OLD.initiative_id, OLD.integration_id)
          IS DISTINCT FROM (NEW.product_id, NEW.initiative_id, NEW.integration_id))
    EXECUTE FUNCTION move_version();
CREATE TRIGGER initiatives_lose_reference BEFORE UPDATE ON initiatives FOR EACH ROW
    WHEN (NEW.version = OLD.version AND OLD.product_id IS DISTINCT FROM NEW.product_id)
    EXECUTE FUNCTION move_version();
CREATE TRIGGER signals_lose_reference BEFORE UPDATE ON signals FOR EACH ROW
    WHEN (NEW.version = OLD.version AND (OLD.account_id, OLD.integration_id)
          IS DISTINCT FROM (NEW.account_id, NEW.integration_id))
    EXECUTE FUNCTION move_version();
CREATE TRIGGER insights_lose_reference BEFORE UPDATE ON insights FOR EACH ROW
    WHEN (NEW.version = OLD.version AND OLD.merged_into IS DISTINCT FROM NEW.merged_into)
    EXECUTE FUNCTION move_version();
