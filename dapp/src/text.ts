// Every sentence of the page. The page fills in {names}.
export const text = {
  title: "Tic-tac-toe",

  header: { skip: "Skip to the board", connect: "Connect wallet", noWallet: "Get a wallet" },

  home: {
    headline: "Three in a row, on the record.",
    pitch:
      "Tic-tac-toe for two people, by a link. A contract on Ethereum keeps the board: nobody can cheat, and nobody can switch it off. No sign-up, and no fee but the network's.",
    practise: "Make a move",
    practiseHint: "Practice: you play both sides, for free.",
    openTitle: "Open a table by its link or address",
    chain: "Network",
    address: "Link of the table, or its address on the network above",
    open: "Open the table",
    badAddress:
      "This is neither a link nor an address of a table. Copy all of it. An address is 0x and 40 digits, capitals included.",
    deployTitle: "Play with a friend",
    deployText: "Set up a table of your own, and send your friend its link. It takes one confirmation in your wallet.",
    deploy: "Set up a table on {chain}",
    deploySent: "Sent. Waiting for a block…",
    recentTitle: "Your tables",
    recentEntry: "{opponent} on {chain}",
    recentFree: "A free table on {chain}",
    recentTurn: { free: "nobody plays yet", yours: "your turn", theirs: "their turn", over: "over" },
  },

  chain: {
    local: "Local chain",
    unnamed: "chain {id}",
    realMoney: "{label}, with real money",
    noCoins: "Your account has no coins on {chain}, so it cannot pay the network's fee.",
    freeCoins: "Free coins for {chain}",
  },

  // The cells 0 to 8.
  cells: [
    "Top left",
    "Top centre",
    "Top right",
    "Middle left",
    "Centre",
    "Middle right",
    "Bottom left",
    "Bottom centre",
    "Bottom right",
  ],

  board: {
    label: "Board",
    empty: "empty",
    pending: "not in a block yet",
    last: "last move",
    winning: "in the winning line",
    help: "Arrow keys move between the cells. Enter or Space places your mark.",
  },

  status: {
    reading: "Reading the table…",
    readingHint: "Asking the network for the game.",
    unreachable: "No connection",
    unreachableHint: "This table could not be read yet.",
    invited: "You are invited",
    invitedHint: "{player} wants to play. You are X.",
    usedHint: "This invitation is used.",
    host: "Waiting for your friend",
    hostHint: "Send the link. Your friend opens it and presses Play.",
    noGame: "A free table",
    noGameHint: "Nobody plays here yet.",
    yourTurn: "Your turn",
    yourTurnHint: "You are {mark}. Choose a cell.",
    bothTurn: "{mark} to move",
    bothTurnHint: "You play both sides.",
    theirTurn: "Your friend's turn",
    theirTurnHint: "You are {mark}.",
    watching: "You are watching.",
    watchingAs: "You are watching. If you play here, choose that account in your wallet.",
    youWin: "You win",
    youLose: "You lose",
    wins: "{mark} wins",
    line: "Three in a row.",
    theirLine: "Your friend has three in a row.",
    draw: "A draw",
    drawHint: "Nine marks and no line.",
    gaveUp: "{mark} gave up.",
    youGaveUp: "You gave up.",
    theyGaveUp: "Your friend gave up.",
    asking: "Waiting for your wallet…",
    askingHint: "Confirm or decline there.",
    sent: "On its way…",
    sentHint: "It counts once it is in a block.",
    slow: "This takes longer than usual.",
    stopWaiting: "Stop waiting",
    transaction: "Transaction",
  },

  game: {
    players: "Players",
    you: "you",
    number: "Game {number}",
    draws: "Game {number}, {draws} drawn",
    scoreLabel: "All games between these two players: X's player won {x}, O's player won {o}, {draws} drawn.",
    newGame: "New game",
    another: "Another opponent",
    rematch: "Play again",
    forfeit: "Give up",
    history: "Moves",
    moveLink: "{cell}: transaction of move {number}",
    historyUnknown: "This endpoint does not have all links and scores.",
    table: "Table",
    share: "Copy the link",
    copied: "Copied",
    notCopied: "Your browser does not allow it. Copy by hand.",
    onChain: "on {chain}",
    source: { wallet: "your wallet", endpoint: "a node of the network" },
    via: "Read through {source}",
    nodeLost: "No connection to the network. The board may be out of date. Trying again…",
    nodeLostFirst: "No answer from {source}. Trying again…",
    tryNow: "Try now",
    switchChain: "Switch to {chain}",
    switchHint: "Your wallet is on {chain}.",
    connectToPlay: "Connect a wallet to play. You can watch without one.",
  },

  invite: {
    title: "Invite a friend",
    send: "Send the link",
    text: "The game begins here as soon as your friend presses Play. Your friend moves first.",
    message: "Play tic-tac-toe with me.",
    code: "QR code of the link",
    link: "The link",
    other: "Start a new game yourself",
    play: "Play",
  },

  address: { copy: "Copy the address", explorer: "Explorer" },

  newGame: {
    opponent: "Your opponent's address",
    opponentHint: "Their account as their wallet shows it, or a link with which they invite you.",
    seats: "You play (X moves first)",
    seatBoth: "Both sides",
    begin: "Begin",
    beginOver: "End it and begin",
    cancel: "Cancel",
    over: "The game between {x} and {o} is not over. A new game ends it without a result.",
    badAddress: "This is not an address. Copy all of it: 0x and 40 digits, capitals included.",
    yourself: "This is your own address. To play both sides, choose that above.",
  },

  forfeit: {
    title: "Give up this game?",
    text: "Your friend wins at once. You cannot undo this.",
    bothText: "{player} wins at once. You cannot undo this.",
    no: "Play on",
  },

  wallet: {
    title: "Your wallet",
    choose: "Choose a wallet. This page will see your address. You confirm every move in the wallet.",
    none: "This browser has no wallet, the app that holds your account. To play:",
    install: "Install a wallet",
    coins: "Get coins on {chain} for the fee",
    back: "Come back here, and connect it",
    list: "Wallets on ethereum.org",
    scan: "Or scan this code with your phone:",
    code: "QR code of this page.",
    apps: "To play, open this page in your wallet:",
    noApp: "No wallet yet?",
    unnamed: "Browser wallet",
    connected: "Connected",
    connecting: "Waiting for the wallet. Unlock it if it asks.",
    disconnect: "Disconnect",
    close: "Close",
    label: "Wallet: {account} on {chain}",
  },

  trouble: {
    linkTitle: "This link does not open a table",
    damaged: "The link is damaged. Ask your friend for it again.",
    noneTitle: "No table here",
    none: "There is nothing at {address} on {chain}. The table may be on another network, or a test network was restarted.",
    otherTitle: "Not a table of this game",
    other:
      "There is a contract at {address} on {chain}, but not this game's. The page reads nothing from it and sends nothing to it.",
    unknownTitle: "Unknown network",
    unknown: "To read {chain}, this page needs a wallet on that network.",
    home: "Go to the start page",
  },

  // Why something that the player wanted did not happen.
  failure: {
    declined: "You declined in the wallet. Nothing was sent.",
    busy: "Your wallet already shows a request. Answer it there first. If it shows none, reload this page.",
    locked: "Your wallet does not let this page use that account. Connect it again.",
    funds: "The account has too little money for the network fee. Nothing was sent.",
    unknownChain: "Your wallet does not know this network. Add it there first.",
    wrongChain: "Your wallet stayed on another network. Nothing was sent.",
    noAnswer: "The network did not answer. Check whether your move appears, or try again.",
    invalidAnswer: "The answer was not valid, so the page did not use it. Try again, or use another wallet.",
    reverted: "The contract reverted without a reason.",
    replaced: "Another transaction of yours took its place. Try again if you still want it.",
    dropped: "The network dropped it before a block included it. Try again.",
    relayed:
      "Your wallet sent this through somebody else. Turn off gas sponsoring (smart account) for this page, and have a little ether.",
    overwritten: "Another game has started at this table.",
    // While the wallet asks for the player's own new game.
    begun: "A game has just started at this table. If your wallet still asks, decline there.",
    notTable: "Your wallet sees another contract at this address, not a table of this game. Nothing was sent.",
    taken: "You have moved from somewhere else in the meantime. This is the board now.",
  },

  refused: "The wallet refused: {detail}",
  reorg: {
    some: "The network replaced its latest blocks, which took back {moves}. This is the board now.",
    none: "The network replaced its latest blocks. This is the board now.",
    moves: { one: "{count} move", other: "{count} moves" },
  },

  // The contract's reasons, by the contract's words.
  reason: {
    "caller is a contract":
      "Only a person's own account can play, and the transaction came from a contract. If your wallet sponsors gas, turn that off.",
    "player is the zero address": "The zero address belongs to nobody and cannot play.",
    "player is a contract": "One of the players is a contract. Only a person's account can play.",
    "no game in progress": "The game is over. Start a new one to move.",
    "not the current game": "This was for another game than the one at the table now. It changed nothing.",
    "not your turn": "It is not your turn.",
    "off the grid": "That cell is not on the board.",
    "cell is taken": "That cell is taken.",
  },

  say: {
    move: "{mark}: {cell}.",
    nodeBack: "Connected to the network again.",
    pending: "{mark}, {cell}: waiting for a block.",
  },

  footer:
    "This page has no server and collects no data. It connects only to your wallet and to nodes of the networks you open.",
  framed: "Open tic-tac-toe in a tab of its own",
  dismiss: "Dismiss",
};

export function fill(sentence: string, names: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (hole, name: string) =>
    Object.hasOwn(names, name) ? String(names[name]) : hole,
  );
}

export function plural(forms: { one: string; other: string }, count: number): string {
  return fill(count === 1 ? forms.one : forms.other, { count });
}
