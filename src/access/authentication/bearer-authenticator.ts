import type { Authenticator, Call, TraceStep, UserInfo } from '../../apiserver/index.ts';
import type { TokenAuthenticator, TokenFinding, TokenQuestion } from './token-authenticator.ts';

const EXTRA_SPACE = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** Authenticates requests with a token in `Authorization`, or among a WebSocket's protocols: browsers cannot send it elsewhere. */
export class BearerAuthenticator implements Authenticator {
  readonly name = 'bearer token';
  readonly #tokens: TokenAuthenticator;
  readonly #audiences: readonly string[];

  constructor(tokens: TokenAuthenticator, audiences: readonly string[]) {
    this.#tokens = tokens;
    this.#audiences = audiences;
  }

  authenticate(call: Call): ReturnType<Authenticator['authenticate']> {
    const shown = bearerToken(call) ?? protocolToken(call);
    if (shown === undefined || shown === 'invalid') return shown;
    const asked = this.#tokens.authenticate(shown.token, new CallQuestion(call, this.#audiences));
    return asked instanceof Promise
      ? asked.then((finding) => userOf(finding, call, shown))
      : userOf(asked, call, shown);
  }
}

function userOf(finding: TokenFinding, call: Call, shown: ShownToken): UserInfo | 'invalid' {
  if (finding.type !== 'known') return 'invalid';
  if (shown.otherProtocols !== undefined) call.request.replaceHeader('sec-websocket-protocol', shown.otherProtocols);
  const { annotations = {}, warnings = [] } = finding.notes ?? {};
  for (const [key, value] of Object.entries(annotations)) call.record.annotations.add(key, value);
  for (const warning of warnings) call.record.warnings.add(warning);
  return finding.user;
}

/** Creates the call's signal on first use: most tokens are recognized without a remote call, which needs none. */
class CallQuestion implements TokenQuestion {
  readonly audiences: readonly string[];
  readonly #call: Call;

  constructor(call: Call, audiences: readonly string[]) {
    this.audiences = audiences;
    this.#call = call;
  }

  get signal(): AbortSignal {
    return this.#call.request.signal;
  }

  get step(): TraceStep | undefined {
    return this.#call.record.trace?.stage;
  }
}

interface ShownToken {
  readonly token: string;
  /** The protocols that the client offers, without the token. */
  readonly otherProtocols?: readonly string[];
}

function bearerToken(call: Call): ShownToken | undefined {
  const parts = (call.request.headers('authorization')[0] ?? '').trim().split(' ', 3);
  const [scheme = '', token] = parts;
  if (token === undefined || scheme.toLowerCase() !== 'bearer') return undefined;
  if (token === '' && parts.length === 3) call.record.warnings.add(EXTRA_SPACE);
  return token === '' ? undefined : { token };
}

const PROTOCOL_PREFIX = 'base64url.bearer.authorization.k8s.io.';

/** A token is accepted only together with a real protocol, which is the one that the server will choose. */
function protocolToken(call: Call): ShownToken | 'invalid' | undefined {
  if (!call.request.isUpgrade) return undefined;
  const protocols = call.request
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
