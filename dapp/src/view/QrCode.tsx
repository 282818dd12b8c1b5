// A QR code. The encoder is loaded when the first code is drawn.
import { useSignal, useSignalEffect } from "@preact/signals";
import "./QrCode.css";

/** The empty edge that readers need, in modules. */
const QUIET = 4;

async function encode(words: string): Promise<{ size: number; path: string }> {
  const { correction, generate } = await import("lean-qr/nano");
  const code = generate(words, { minCorrectionLevel: correction.M });
  let path = "";
  for (let y = 0; y < code.size; y += 1) for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) path += `M${x} ${y}h1v1h-1z`;
  return { size: code.size, path };
}

export function QrCode({ words, label }: { words: string; label: string }) {
  const code = useSignal<{ size: number; path: string } | null>(null);
  const wanted = useSignal(words);
  wanted.value = words;
  useSignalEffect(() => {
    const now = wanted.value;
    // Without a network the code stays away; the link is there, too.
    encode(now).then((found) => now === wanted.peek() && (code.value = found), () => null);
  });
  if (code.value === null) return <div class="qr" />;
  const { size, path } = code.value;
  const side = size + 2 * QUIET;
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`${-QUIET} ${-QUIET} ${side} ${side}`} shape-rendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
