// For the player at a free table: the link that invites somebody, to be sent, copied or scanned.
import { text } from "../text.ts";
import { Button } from "./Button.tsx";
import { Card } from "./Card.tsx";
import { askNewGame } from "./dialogs.ts";
import { QrCode } from "./QrCode.tsx";
import { copyLink, invitationLink } from "./share.ts";

export function Invite() {
  const link = invitationLink();
  return (
    <Card title={text.invite.title}>
      <p>{text.invite.text}</p>
      <QrCode words={link} label={text.invite.code} />
      <div class="row">
        <input
          class="mono"
          readOnly
          value={link}
          aria-label={text.invite.link}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <Button press={copyLink}>{text.game.share}</Button>
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
