// For the player at a free table: the link that invites somebody, to be sent, copied or scanned.
import { text } from "../text/index.ts";
import { Button } from "./Button.tsx";
import { Card } from "./Card.tsx";
import { askNewGame } from "./dialogs.ts";
import { QrCode } from "./QrCode.tsx";
import { canShare, copyLink, invitationLink, shareLink } from "./share.ts";
import "./Invite.css";

export function Invite() {
  const link = invitationLink();
  return (
    <Card class="invite" title={text.invite.title}>
      <p>{text.invite.text}</p>
      <div class="invite-code">
        <QrCode words={link} label={text.invite.code} />
        <div class="invite-ways">
          <p class="hint invite-link" dir="ltr">
            {link}
          </p>
          {canShare() && (
            <Button class="primary" press={shareLink}>
              {text.invite.share}
            </Button>
          )}
          <Button class={canShare() ? undefined : "primary"} press={copyLink}>
            {text.game.share}
          </Button>
        </div>
      </div>
      <p class="hint">
        {text.invite.wait}{" "}
        <Button class="link" press={askNewGame}>
          {text.invite.other}
        </Button>
      </p>
    </Card>
  );
}
