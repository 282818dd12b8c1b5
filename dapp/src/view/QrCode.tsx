// A QR code. The encoder is loaded when the first code is drawn.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import "./QrCode.css";

/** The empty edge that readers need, in modules. */
const QUIET = 4;

async function encode(words: string): Promise<{ size: number; path: string }> {
  const { correction, generate } = await import("lean-qr/nano");
  const code = generate(words, { minCorrectionLevel: correction.M });
  let path = "";
  for (let y = 0; y < code.size; y += 1)
    for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) path += `M${x} ${y}h1v1h-1z`;
  return { size: code.size, path };
}

export function QrCode({ words, label }: { words: string; label: string }) {
  const code = useSignal<{ size: number; path: string } | null>(null);
  useEffect(() => {
    let wanted = true;
    // Without a network there is no code. The link is there, too.
    encode(words).then(
      (found) => wanted && (code.value = found),
      () => null,
    );
    return () => void (wanted = false);
  }, [words]);
  if (code.value === null) return <div class="qr" />;
  const { size, path } = code.value;
  const side = size + 2 * QUIET;
  return (
    <svg
      class="qr"
      role="img"
      aria-label={label}
      viewBox={`${-QUIET} ${-QUIET} ${side} ${side}`}
      shape-rendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}
