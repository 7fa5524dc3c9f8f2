import { methodNotAllowed } from '../../api/index.ts';
import { type Answer, type Call, noRouteBut, type PathHandler, takesApplication } from '../../apiserver/index.ts';
import { jsonWebKey, type VerificationKey } from '../authentication/jwt/verification-key.ts';

const CONFIGURATION_PATH = '/.well-known/openid-configuration';
const KEYS_PATH = '/openid/v1/jwks';

export interface IssuerDiscoveryOptions {
  readonly issuer: string;
  /** Where relying parties find the keys; default this server's path at `address`. */
  readonly keysUrl?: string;
  /** `host:port` of the server. */
  readonly address: () => string;
  readonly keys: () => readonly VerificationKey[];
}

/** Publishes how to verify tokens of service accounts (OpenID Connect Discovery). */
export class IssuerDiscovery implements PathHandler {
  readonly #options: IssuerDiscoveryOptions;

  constructor(options: IssuerDiscoveryOptions) {
    this.#options = options;
  }

  /** What is served, for the list of paths. */
  get paths(): readonly string[] {
    return isFindable(this.#options.issuer) ? [CONFIGURATION_PATH, KEYS_PATH] : [];
  }

  handle(call: Call): Answer | undefined {
    const { path } = call.request;
    if (!this.paths.includes(path)) return undefined;
    if (call.request.method !== 'GET') throw methodNotAllowed();
    const subtype = path === KEYS_PATH ? 'jwk-set+json' : 'json';
    if (!takesApplication(call.request.header('accept') ?? '', subtype)) throw noRouteBut(`application/${subtype}`);
    const body = path === KEYS_PATH ? { keys: this.#options.keys().map(jsonWebKey) } : this.#configuration();
    return answer(`application/${subtype}`, body);
  }

  #configuration(): object {
    const { issuer, keysUrl, address, keys } = this.#options;
    return {
      issuer,
      jwks_uri: keysUrl ?? `https://${address()}${KEYS_PATH}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...new Set(keys().map(({ algorithm }) => algorithm))].toSorted(),
    };
  }
}

/** An issuer that is not a plain https URL cannot be queried: the paths are not served, as upstream. */
function isFindable(issuer: string): boolean {
  return /^https:\/\/[^?#]+$/.test(issuer);
}

function answer(contentType: string, body: object): Answer {
  const headers = { 'cache-control': 'public, max-age=3600' };
  return { type: 'bytes', code: 200, contentType, body: JSON.stringify(body), headers };
}
