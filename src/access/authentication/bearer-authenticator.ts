import type { Authenticator, Call, UserInfo } from '../../apiserver/index.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';

const EXTRA_SPACE = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** Requests with a token in `Authorization`, or among a WebSocket's protocols, where browsers have no other place for it. */
export class BearerAuthenticator implements Authenticator {
  readonly name = 'bearer token';
  readonly #tokens: TokenAuthenticator;
  readonly #audiences: readonly string[];

  constructor(tokens: TokenAuthenticator, audiences: readonly string[]) {
    this.#tokens = tokens;
    this.#audiences = audiences;
  }

  async authenticate(call: Call): Promise<UserInfo | undefined | 'invalid'> {
    const shown = bearerToken(call) ?? protocolToken(call);
    if (shown === undefined || shown === 'invalid') return shown;
    const step = call.trace?.stage;
    const question = { audiences: this.#audiences, signal: call.signal, ...(step === undefined ? {} : { step }) };
    const finding = await this.#tokens.authenticate(shown.token, question);
    if (finding.type !== 'known') return 'invalid';
    if (shown.otherProtocols !== undefined) call.replaceHeader('sec-websocket-protocol', shown.otherProtocols);
    const { annotations = {}, warnings = [] } = finding.notes ?? {};
    for (const [key, value] of Object.entries(annotations)) call.annotations.add(key, value);
    for (const warning of warnings) call.warnings.add(warning);
    return finding.user;
  }
}

interface ShownToken {
  readonly token: string;
  /** What the client offers to speak, besides the token. */
  readonly otherProtocols?: readonly string[];
}

function bearerToken(call: Call): ShownToken | undefined {
  const parts = (call.headers('authorization')[0] ?? '').trim().split(' ', 3);
  const [scheme = '', token] = parts;
  if (token === undefined || scheme.toLowerCase() !== 'bearer') return undefined;
  if (token === '' && parts.length === 3) call.warnings.add(EXTRA_SPACE);
  return token === '' ? undefined : { token };
}

const PROTOCOL_PREFIX = 'base64url.bearer.authorization.k8s.io.';

/** A token counts only beside a protocol to speak, which is the one that the server will choose. */
function protocolToken(call: Call): ShownToken | 'invalid' | undefined {
  if (!call.isUpgrade) return undefined;
  const protocols = call
    .headers('sec-websocket-protocol')
    .flatMap((line) => line.split(','))
    .map((protocol) => protocol.trim());
  const found = protocols.filter((protocol) => protocol.startsWith(PROTOCOL_PREFIX));
  if (found.length === 0) return undefined;
  if (found.length > 1 || protocols.length === 1) return 'invalid';
  const encoded = (found[0] ?? '').slice(PROTOCOL_PREFIX.length);
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) return 'invalid';
  const otherProtocols = protocols.filter((protocol) => !protocol.startsWith(PROTOCOL_PREFIX));
  return { token: Buffer.from(encoded, 'base64url').toString(), otherProtocols };
}
