"""Pages that say what is wrong and what to do. Each class is one page: its status, its title, its text.

PageRefused                 400
|-- PortalNotFound          404
|-- PageNotFound            404
|-- WrongMethod             405, raised with `Allow`
|-- SignInNotSetUp          403
|-- SignInRefused           400
|   +-- TokenNotAccepted    401
|-- FormNotReadable         400
|   |-- FormNotAccepted     403
|   +-- FormTooLarge        413
|-- SentBefore              410
|-- TooOften                429, raised with `Retry-After`
|-- Unavailable             503, raised with `Retry-After`
+-- Failed                  500
"""

from sightline.web.languages.catalogue import N_


class PageRefused(Exception):
    """`detail` is the technical reason for the log; visitors do not see it. `headers` go with the page."""

    status = 400
    title = N_("This cannot be done")
    text = N_("Go back and try again.")
    is_of_sign_in = False
    is_worth_repeating = False  # the form is shown again, to be sent once more

    def __init__(self, detail: str = "", *, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail or self.title)
        self.detail = detail
        self.headers = headers or {}

    @property
    def minutes(self) -> int:
        """How long to wait, if that is known and worth telling."""
        return -(-int(self.headers.get("Retry-After", "0")) // 60) if self.status == 429 else 0


class PortalNotFound(PageRefused):
    status = 404
    title = N_("Portal not found")
    text = N_("There is no portal at this address. Check the link that you followed.")


class PageNotFound(PageRefused):
    status = 404
    title = N_("Page not found")
    text = N_("There is nothing at this address, or it is not shown here any more.")


class WrongMethod(PageRefused):
    status = 405
    text = N_("The address does not take this kind of request.")


class SignInNotSetUp(PageRefused):
    status = 403
    title = N_("Sign-in is not set up")
    text = N_("This portal is not open yet: its sign-in has not been configured.")


class SignInRefused(PageRefused):
    title = N_("The sign-in did not work")
    text = N_("It was started in another browser or too long ago. Start it again.")
    is_of_sign_in = True


class TokenNotAccepted(SignInRefused):
    status = 401
    text = N_("The product you came from sent a sign-in that is not valid. Try again.")


class FormNotReadable(PageRefused):
    title = N_("The form could not be sent")
    text = N_("It could not be read. Open the page again and send it once more.")


class FormNotAccepted(FormNotReadable):
    status = 403
    is_worth_repeating = True
    text = N_("The page was open for too long or in another sign-in. Open it again and send it once more.")


class FormTooLarge(FormNotReadable):
    status = 413
    text = N_("It is too long. Shorten the text and send it once more.")


class SentBefore(PageRefused):
    """A form that is sent again after what it wrote was deleted."""

    status = 410
    title = N_("This was deleted")
    text = N_("You sent this before and it was deleted since. Nothing was saved now.")


class TooOften(PageRefused):
    status = 429
    is_worth_repeating = True
    title = N_("That was too often")
    text = N_("Wait a moment and try again.")


class Unavailable(PageRefused):
    status = 503
    is_worth_repeating = True
    title = N_("The portal cannot answer right now")
    text = N_("Try again in a moment.")


class Failed(PageRefused):
    status = 500
    is_worth_repeating = True
    title = N_("Something went wrong")
    text = N_("It was our fault and has been noted. Try again later.")
