// Sets up a new table on the wallet's chain.
import { state } from "../state.ts";
import { fill, text } from "../text/index.ts";
import { deploy } from "../transactions.ts";
import { chainName } from "../words.ts";
import { Button } from "./Button.tsx";
import { Card } from "./Card.tsx";
import { deployChain, DeployState } from "./DeployState.tsx";
import { openWallets } from "./dialogs.ts";

export function Deploy() {
  const chain = deployChain();
  return (
    <Card class="deploy" title={text.home.deployTitle}>
      <p>{text.home.deployText}</p>
      <DeployState chain={chain} needs={chain === null ? text.home.deployNeedsWallet : ""} />
      <Button class="primary" able={state.pending === null} press={() => (chain === null ? openWallets() : deploy())}>
        {chain === null ? text.home.deploy : fill(text.home.deployOn, { chain: chainName(chain) })}
      </Button>
    </Card>
  );
}
