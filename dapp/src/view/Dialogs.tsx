// The dialogs: wallets, a new game, and giving up. One at most is open.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { faucetLink, knownChains } from "../chains.ts";
import { toFailure } from "../failures.ts";
import { parsePlayer } from "../link.ts";
import { type Address, markName, O, other, X, ZERO } from "../rules.ts";
import { seat } from "../seat.ts";
import { openTable, state } from "../state.ts";
import { fill, text } from "../text.ts";
import { send } from "../transactions.ts";
import { isPhone, walletApps } from "../walletapps.ts";
import { connect, disconnect, type Wallet } from "../wallets.ts";
import { chainName, noticeText, short, spending } from "../words.ts";
import { focusBoard } from "./Board.tsx";
import { Button, FreeCoins, FullAddress, OutsideLink, PasteField, Problem, QrCode } from "./parts.tsx";

const close = (): void => void (state.dialog.value = null);

export const openWallets = (wish: (() => void) | null = null): void =>
  void (state.dialog.value = { kind: "wallets", wish });

/** Asks for a wallet first, if none is connected. */
export function withWallet(act: () => void): void {
  if (state.connection.value === null) openWallets(act);
  else act();
}

export const ask = (kind: "newGame" | "forfeit"): void => void (state.dialog.value = { kind });

export function Dialogs() {
  const open = state.dialog.value;
  if (open?.kind === "wallets") return <Wallets wish={open.wish} />;
  if (open?.kind === "newGame") return <NewGame />;
  return open?.kind === "forfeit" ? <Forfeit /> : null;
}

/** A modal <dialog> keeps the focus inside, closes with Escape and returns the focus. */
function Dialog({ title, children }: { title: string; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    box.current?.showModal();
    return () => box.current?.close();
  }, []);
  // The event comes late, when the next dialog may be open.
  const closed = (): void => void (box.current?.isConnected && close());
  return (
    <dialog ref={box} class="stack" aria-labelledby={heading} onClose={closed} {...{ closedby: "any" }}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}

// -- wallets --------------------------------------------------------------------------

function Wallets({ wish }: { wish: (() => void) | null }) {
  const waiting = useSignal("");
  const problem = useSignal("");
  const { value: wallets } = state.wallets;
  const choose = async (wallet: Wallet): Promise<void> => {
    const mine = state.dialog.value;
    problem.value = "";
    waiting.value = text.wallet.connecting;
    try {
      if (!(await connect(wallet))) problem.value = text.failure.busy;
    } catch (error) {
      problem.value = noticeText(toFailure(error));
    }
    waiting.value = "";
    // Not if the player has closed the dialog while the wallet asked.
    if (problem.value !== "" || state.dialog.value !== mine) return;
    close();
    wish?.();
  };
  // On a phone the page is in a wallet's own browser, so there is nothing to choose.
  useEffect(() => {
    const [only, second] = wallets;
    if (wish && only && !second && isPhone()) void choose(only);
  }, []);
  const { value: connection } = state.connection;
  const own = connection?.accounts[0];
  const leave = (): void => {
    disconnect();
    close();
  };
  return (
    <Dialog title={wallets.length > 0 ? text.wallet.title : text.header.noWallet}>
      {wallets.length > 0 ? (
        <p>{text.wallet.choose}</p>
      ) : (
        <WalletApps chain={openTable()?.chain ?? knownChains[0]?.id ?? 0} />
      )}
      <ul class="wallets stack">
        {wallets.map((wallet) => (
          <li key={wallet.id}>
            <Button class="quiet wallet row" press={() => choose(wallet)}>
              {wallet.icon && <img src={wallet.icon} alt="" width="32" height="32" />}
              <bdi>{wallet.name || text.wallet.unnamed}</bdi>
              {own && wallet.provider === connection.wallet.provider && (
                <span class="hint">{`${text.wallet.connected} · ${short(own)}`}</span>
              )}
            </Button>
          </li>
        ))}
      </ul>
      {own && <FullAddress address={own} chain={connection.chain} />}
      <p class="hint" role="status">
        {waiting}
      </p>
      <Problem words={problem} />
      <div class="row">
        {connection && <Button press={leave} words={text.wallet.disconnect} />}
        <Button press={close} words={text.wallet.close} />
      </div>
    </Dialog>
  );
}

/** ethereum.org's list of wallets. */
const LIST = "https://ethereum.org/wallets/find-wallet/";

/** On a device without a wallet in this browser: how to get to one, in order. */
export function WalletApps({ chain }: { chain: number }) {
  const page = location.href.replace(/#.*$/, "");
  if (isPhone()) {
    return (
      <div class="row">
        <span>{text.wallet.apps}</span>
        {walletApps.map(({ name, open }) => (
          <a key={name} class="button primary" href={open(page)} rel="noreferrer">
            {name}
          </a>
        ))}
        <p class="hint">
          {text.wallet.noApp} <OutsideLink href={LIST} words={text.wallet.list} />
        </p>
      </div>
    );
  }
  const coins = fill(text.wallet.coins, { chain: chainName(chain) });
  return (
    <div class="row">
      <div class="stack">
        <p>{text.wallet.none}</p>
        <ol class="steps stack tight">
          <li>
            <OutsideLink href={LIST} words={text.wallet.install} />
          </li>
          <li>
            <OutsideLink href={faucetLink(chain)} words={coins} />
          </li>
          <li>{text.wallet.back}</li>
        </ol>
        <p>{text.wallet.scan}</p>
      </div>
      <QrCode words={page} label={text.wallet.code} />
    </div>
  );
}

// -- a new game -----------------------------------------------------------------------

type Side = "x" | "o" | "both";

/** X's and O's address, or the sentence that says what is wrong with them. Whether both are persons is for the contract to say. */
function playersFor(side: Side, typed: string): string | [Address, Address] {
  const own = state.connection.value?.accounts[0];
  if (own === undefined) return text.game.connectToPlay;
  if (side === "both") return [own, own];
  const opponent = parsePlayer(typed);
  if (opponent === null) return text.newGame.badAddress;
  if (opponent === ZERO) return text.reason["player is the zero address"];
  if (opponent === own) return text.newGame.yourself;
  return side === "x" ? [own, opponent] : [opponent, own];
}

function NewGame() {
  const side = useSignal<Side>(seat.value.own.length === 2 ? "both" : "x");
  const problem = useSignal("");
  const input = useRef<HTMLInputElement>(null);
  const chain = openTable()?.chain ?? 0;
  const game = state.snapshot.value?.game;
  const running = game?.status === "in_progress" ? game : null;

  const begin = (event: SubmitEvent): void => {
    event.preventDefault();
    const players = playersFor(side.value, input.current?.value ?? "");
    if (typeof players === "string") {
      problem.value = players;
      return input.current?.focus();
    }
    close();
    focusBoard();
    if (game) void send({ kind: "newGame", players, replaces: game.number });
  };
  const choice = (value: Side, words: string) => (
    <label class="row tight">
      <input type="radio" name="side" checked={side.value === value} onChange={() => (side.value = value)} />
      <span>{words}</span>
    </label>
  );

  return (
    <Dialog title={text.game.newGame}>
      <form class="stack" noValidate onSubmit={begin}>
        <fieldset class="row">
          <legend>{text.newGame.seats}</legend>
          {choice("x", markName(X))}
          {choice("o", markName(O))}
          {choice("both", text.newGame.seatBoth)}
        </fieldset>
        {side.value !== "both" && (
          <PasteField
            ref={input}
            label={text.newGame.opponent}
            hint={text.newGame.opponentHint}
            problem={problem.value}
            placeholder="0x…"
            onInput={() => (problem.value = "")}
          />
        )}
        {running && (
          <p class="bad">{fill(text.newGame.over, { x: short(running.playerX), o: short(running.playerO) })}</p>
        )}
        <FreeCoins chain={chain} />
        <div class="row">
          <button type="submit" class={running ? "primary danger" : "primary"}>
            {spending(running ? text.newGame.beginOver : text.newGame.begin, chain)}
          </button>
          <Button press={close} words={text.newGame.cancel} />
        </div>
      </form>
    </Dialog>
  );
}

// -- giving up ------------------------------------------------------------------------

function Forfeit() {
  const game = state.snapshot.value?.game;
  if (!game) return null;
  const { number, turn } = game;
  const isBoth = turn !== null && seat.value.own.length === 2;
  const giveUp = (): void => {
    close();
    focusBoard();
    void send({ kind: "forfeit", number });
  };
  return (
    <Dialog title={text.forfeit.title}>
      <p>{isBoth ? fill(text.forfeit.bothText, { player: markName(other(turn)) }) : text.forfeit.text}</p>
      <div class="row">
        <Button class="primary danger" press={giveUp} words={spending(text.game.forfeit, openTable()?.chain ?? 0)} />
        <Button press={close} words={text.forfeit.no} />
      </div>
    </Dialog>
  );
}
