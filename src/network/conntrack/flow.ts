/** A connection that the kernel tracks: where it was sent, and who answers. */
export interface Flow {
  readonly source: string;
  readonly sourcePort: number;
  readonly destination: string;
  readonly destinationPort: number;
  /** Who answers: the endpoint, where the destination was translated. */
  readonly answerSource: string;
  readonly answerPort: number;
}

const FIELD = /\b(src|dst|sport|dport)=(\S+)/g;

/**
 * Reads a line that conntrack(8) lists; undefined for one without ports.
 *
 * Example: `udp 17 29 src=10.0.0.1 dst=10.96.0.10 sport=1234 dport=53 [UNREPLIED] src=10.244.0.5 dst=10.0.0.1 sport=53 dport=1234 mark=0 use=1`
 */
export function readFlow(line: string): Flow | undefined {
  const found = [...line.matchAll(FIELD)];
  const [original = {}, answer = {}] = [tupleOf(found.slice(0, 4)), tupleOf(found.slice(4, 8))];
  const { src = '', dst = '', sport = '', dport = '' } = original;
  const { src: answerSource = '', sport: answerPort = '' } = answer;
  if (src === '' || dst === '' || dport === '' || answerSource === '' || answerPort === '') return undefined;
  return {
    source: src,
    sourcePort: Number(sport),
    destination: dst,
    destinationPort: Number(dport),
    answerSource,
    answerPort: Number(answerPort),
  };
}

function tupleOf(found: readonly RegExpMatchArray[]): Readonly<Record<string, string>> {
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value]));
}
