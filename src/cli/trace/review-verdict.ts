interface Answer {
  readonly allowed?: boolean;
  readonly patch?: string;
  readonly status?: { readonly code?: number; readonly reason?: string; readonly message?: string };
  readonly warnings?: readonly string[];
}

/** What the webhook decided: allowed, with how many changes, or denied, and why; undefined for what is no answer. */
export function reviewVerdict(text: string | undefined): string | undefined {
  let answer: Answer | undefined;
  try {
    answer = (JSON.parse(text ?? '') as { readonly response?: Answer } | null)?.response;
  } catch {
    return undefined; // not kept, or not JSON
  }
  if (typeof answer?.allowed !== 'boolean') return undefined;
  const { status, warnings = [] } = answer;
  const why = status?.message ?? status?.reason;
  const changes = answer.patch === undefined ? '' : `, ${changeCount(answer.patch)}`;
  const warned = warnings.map((warning) => `, warning: ${warning}`).join('');
  return `${answer.allowed ? 'allowed' : 'denied'}${why === undefined ? '' : `: ${why}`}${changes}${warned}`;
}

function changeCount(patch: string): string {
  try {
    const operations = JSON.parse(Buffer.from(patch, 'base64').toString()) as unknown[];
    return `${operations.length} ${operations.length === 1 ? 'change' : 'changes'}`;
  } catch {
    return 'with a patch that cannot be read';
  }
}
