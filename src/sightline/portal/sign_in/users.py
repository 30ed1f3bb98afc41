"""Finding or adding the person that a token names. Decisions: Portal, Identity."""

from collections.abc import Iterable
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.platform.ids import new_id
from sightline.portal.sessions.queries import User
from sightline.portal.sign_in.tokens import Claims

_COLUMNS = ", ".join(User._fields)
_FIND = "SELECT {columns} FROM portal_users WHERE workspace_id = :workspace_id AND {which} FOR UPDATE"
_BY_SUBJECT = sql(_FIND, columns=_COLUMNS, which="subject = :subject")
_BY_EMAIL_ONLY = sql(_FIND, columns=_COLUMNS, which="lower(email) = lower(:email) AND subject IS NULL")
_LAST_BY_EMAIL = "lower(email) = lower(:email) ORDER BY last_seen_at DESC NULLS LAST, id LIMIT 1"
_SEEN_LAST_BY_EMAIL = sql(_FIND, columns=_COLUMNS, which=_LAST_BY_EMAIL)
_ADD = sql(
    """
    INSERT INTO portal_users (workspace_id, id, subject, email, first_name, last_name, last_seen_at,
                              created_at, updated_at)
    VALUES (:workspace_id, :id, :subject, :email, :first_name, :last_name, :now, :now, :now)
    RETURNING {columns}""",
    columns=_COLUMNS,
)
_UPDATE = sql(
    """
    UPDATE portal_users
       SET subject = coalesce(:subject, subject), email = :email, first_name = :first_name, last_name = :last_name,
           last_seen_at = :now,
           updated_at = CASE WHEN (subject, email, first_name, last_name)
                                  IS DISTINCT FROM (coalesce(:subject, subject), :email, :first_name, :last_name)
                             THEN :now ELSE updated_at END
     WHERE workspace_id = :workspace_id AND id = :id
    RETURNING {columns}""",
    columns=_COLUMNS,
)


# Addresses share 64 locks of the workspace: an import may name very many, and the server has room for few locks.
_LOCK_ADDRESSES = sql("""
    SELECT pg_advisory_xact_lock(hashtextextended(:workspace_id::uuid::text, 11) + place)
      FROM (SELECT DISTINCT hashtext(lower(email)) & 63 AS place
              FROM unnest(:emails::text[]) AS email ORDER BY place) AS locks""")


async def lock_addresses(tx: Tx, workspace_id: UUID, emails: Iterable[str]) -> None:
    """Lets transactions that may add the same people wait for each other, and none in a circle."""
    await tx.rows(_LOCK_ADDRESSES, workspace_id=workspace_id, emails=list(emails))


async def find_or_add_user(tx: Tx, workspace_id: UUID, claims: Claims) -> tuple[User, bool]:
    """Finds the person and updates them from the token, or adds them. Returns the person and whether they are new.

    Raises UniqueViolationError if another sign-in adds the same person at the same time; the caller retries.
    """
    known = await _find(tx, workspace_id, claims)
    if known is None:
        await lock_addresses(tx, workspace_id, [claims.email])
        known = await _find(tx, workspace_id, claims)
    row = await tx.row(
        _UPDATE if known else _ADD,
        workspace_id=workspace_id,
        id=known.id if known else new_id(),
        subject=claims.subject,
        email=claims.email,
        first_name=claims.first_name,
        last_name=claims.last_name,
    )
    assert row is not None  # noqa: S101 - the person is locked or new
    return User(*row), known is None


async def _find(tx: Tx, workspace_id: UUID, claims: Claims) -> User | None:
    """Finds by subject, else a person without subject by e-mail, who gets the subject. Without subject: by e-mail."""
    if claims.subject is None:
        row = await tx.row(_SEEN_LAST_BY_EMAIL, workspace_id=workspace_id, email=claims.email)
    else:
        row = await tx.row(_BY_SUBJECT, workspace_id=workspace_id, subject=claims.subject)
        row = row or await tx.row(_BY_EMAIL_ONLY, workspace_id=workspace_id, email=claims.email)
    return User(*row) if row else None
