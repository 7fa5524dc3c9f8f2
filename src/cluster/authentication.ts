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

/** Who asks, as far as the cluster does not decide it by itself. */
export interface AuthenticationSettings {
  /** Keys and issuer of the cluster's own unless given. */
  readonly serviceAccounts?: Partial<ServiceAccountTokenOptions>;
  /** The cluster's own authority for front proxies, and the standard headers, unless given. */
  readonly frontProxy?: Partial<FrontProxyOptions>;
  /** Whether tokens count with which new nodes introduce themselves; default false. */
  readonly bootstrapTokens?: boolean;
  /** Issuers of OpenID Connect, and who may be anonymous. */
  readonly configuration?: ConfiguredAuthentication;
  /** A webhook that knows tokens. */
  readonly tokenWebhook?: TokenWebhookSettings;
}

interface SettingsHolder {
  readonly authentication?: AuthenticationSettings;
}

const DEFAULT_ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** All ways in which a control plane finds out who asks. */
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
