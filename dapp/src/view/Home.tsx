// The start page: the player's tables, a board to try at once, a table for two, and a form for a link.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { chainById, knownChains } from "../chains.ts";
import { go, linkTo, parsePasted } from "../link.ts";
import { recall } from "../memory.ts";
import { markName, markOfMove, marksOf, winningLines } from "../rules.ts";
import { state } from "../state.ts";
import { fill, text } from "../text.ts";
import { deploy } from "../transactions.ts";
import { chainName, noticeText, short, spending } from "../words.ts";
import { Board, focusBoard } from "./Board.tsx";
import { withWallet } from "./Dialogs.tsx";
import { Button, Card, FreeCoins, LocalLink, Networks, PasteField, Problem, Waiting } from "./parts.tsx";

export function Home() {
  const own = state.connection.value?.chain;
  /** Until the player has chosen, a network whose coins are free: the wallet's, or the first. */
  const chosen = useSignal<number | null>(null);
  const free = own !== undefined && chainById(own)?.testnet ? own : (knownChains[0]?.id ?? 0);
  const chain = chosen.value ?? free;
  return (
    <section class="home">
      <h1 tabIndex={-1}>{text.home.headline}</h1>
      <Practice />
      <div class="side stack">
        <YourTables />
        <p>{text.home.pitch}</p>
        <Deploy chain={chain} choose={(id) => (chosen.value = id)} />
        <OpenForm chain={chain} />
      </div>
    </section>
  );
}

/** A game of both sides by the rules, without a table. It lasts as long as the start page is open. */
function Practice() {
  const moves = useSignal<readonly number[]>([]);
  const marks = marksOf(moves.value);
  const isWon = winningLines(marks).length > 0;
  const isOver = isWon || moves.value.length === 9;
  const next = markOfMove(moves.value.length);
  const choose = (cell: number): void => {
    if (!isOver && marks[cell] === 0) moves.value = [...moves.value, cell];
  };
  const again = (): void => {
    moves.value = [];
    focusBoard();
  };
  let title = text.home.practise;
  if (isWon) title = fill(text.status.wins, { mark: markName(markOfMove(moves.value.length - 1)) });
  else if (isOver) title = text.status.draw;
  else if (moves.value.length > 0) title = fill(text.status.bothTurn, { mark: markName(next) });
  return (
    <div class="stage stack">
      <div class="status">
        <div role="status">
          <h2>{title}</h2>
        </div>
        <p class="hint">{text.home.practiseHint}</p>
      </div>
      <Board moves={moves.value} pending={null} turn={isOver ? null : next} choose={choose} />
      <div class="next row">
        {isOver && <Button class="primary" press={again} words={text.game.rematch} />}
        <Button class={isOver ? undefined : "primary"} press={toDeploy} words={text.home.deployTitle} />
      </div>
    </div>
  );
}

/** Moving the focus also scrolls to the card that sets up a table. */
const toDeploy = (): void => document.querySelector<HTMLElement>(".deploy button.primary")?.focus();

/** The tables that the player has set up or played at in this browser, as they were seen last. Nothing is asked for them. */
function YourTables() {
  const tables = recall.tables();
  if (tables.length === 0) return null;
  return (
    <Card title={text.home.recentTitle}>
      <ul class="stack">
        {tables.map(({ opponent, turn, ...table }) => {
          const names = { opponent: opponent === null ? "" : short(opponent), chain: chainName(table.chain) };
          return (
            <li key={linkTo(table)} class="row">
              <LocalLink table={table}>
                {fill(opponent === null ? text.home.recentFree : text.home.recentEntry, names)}
              </LocalLink>
              <span class="hint">{text.home.recentTurn[turn]}</span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

/** Sets up a new table: on which network, how far it is, and what went wrong. */
function Deploy({ chain, choose }: { chain: number; choose: (id: number) => void }) {
  const { value: pending } = state.pending;
  return (
    <Card class="deploy" title={text.home.deployTitle}>
      <p>{text.home.deployText}</p>
      <Networks value={chain} choose={choose} />
      <FreeCoins chain={chain} />
      <p class="hint" role="status">
        {pending !== null && (pending.phase === "asking" ? text.status.asking : text.home.deploySent)}
      </p>
      <Waiting />
      <Problem words={state.notice.value && noticeText(state.notice.value)} />
      <Button
        class="primary"
        able={pending === null}
        press={() => withWallet(() => void deploy(chain))}
        words={spending(fill(text.home.deploy, { chain: chainName(chain) }), chain)}
      />
    </Card>
  );
}

/** Opens a table by its link, which names its own chain, or by its address on the chosen one. */
function OpenForm({ chain }: { chain: number }) {
  const problem = useSignal("");
  const input = useRef<HTMLInputElement>(null);
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    const found = parsePasted(input.current?.value ?? "", chain);
    if (found !== null) return go(found.table, found.inviter);
    problem.value = text.home.badAddress;
    input.current?.focus();
  };
  return (
    <details class="card">
      <summary>{text.home.openTitle}</summary>
      <form class="stack" noValidate onSubmit={open}>
        <PasteField ref={input} label={text.home.address} placeholder="https://… 0x…" problem={problem.value} />
        <button type="submit">{text.home.open}</button>
      </form>
    </details>
  );
}
