import {
  Authentication,
  type AuthenticationParts,
  type ConfiguredAuthentication,
  type FrontProxyOptions,
  type ServiceAccountTokenOptions,
  STANDARD_PROXY_HEADERS,
  type TokenWebhookSettings,
} from '../access/index.ts';
import type { ClusterPki } from './pki/cluster-pki.ts';

/** How clients are identified, beyond what the cluster decides by itself. */
export interface AuthenticationSettings {
  /** Default: the cluster's own keys and issuer. */
  readonly serviceAccounts?: Partial<ServiceAccountTokenOptions>;
  /** Default: the cluster's own authority for front proxies, and the standard headers. */
  readonly frontProxy?: Partial<FrontProxyOptions>;
  /** Whether the bootstrap tokens of new nodes are accepted; default false. */
  readonly bootstrapTokens?: boolean;
  /** Issuers of OpenID Connect, and which requests may be anonymous. */
  readonly configuration?: ConfiguredAuthentication;
  /** A webhook that knows tokens. */
  readonly tokenWebhook?: TokenWebhookSettings;
}

interface SettingsHolder {
  readonly authentication?: AuthenticationSettings;
}

const DEFAULT_ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** All ways in which a control plane identifies clients. */
export function clusterAuthentication(
  options: SettingsHolder & { readonly tokenFile?: string },
  pki: ClusterPki,
  parts: AuthenticationParts,
): Authentication {
  const { authentication = {}, tokenFile } = options;
  const made = new Authentication(
    {
      ...authentication,
      serviceAccounts: {
        issuers: [DEFAULT_ISSUER],
        signingKey: pki.serviceAccountKey,
        ...authentication.serviceAccounts,
      },
      frontProxy: frontProxyOf(options, pki),
      ...(tokenFile === undefined ? {} : { tokenFile }),
    },
    parts,
  );
  if (authentication.serviceAccounts !== undefined) made.checkKeys();
  return made;
}

export function frontProxyOf({ authentication }: SettingsHolder, pki: ClusterPki): FrontProxyOptions {
  return {
    authorities: pki.frontProxyAuthority.certificate,
    allowedNames: ['front-proxy-client'],
    ...STANDARD_PROXY_HEADERS,
    ...authentication?.frontProxy,
  };
}
