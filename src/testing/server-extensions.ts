import type {
  AccessOptions,
  AdmissionOptions,
  ClusterOptions,
  ExtensionOptions,
  StorageOptions,
} from '../cluster/index.ts';

/** What a test can add to the API server of its cluster. */
export interface ServerExtensions
  extends
    Pick<AccessOptions, 'authentication' | 'authorization' | 'authenticators' | 'authorizers' | 'audit'>,
    Pick<StorageOptions, 'encryption'>,
    ExtensionOptions {
  /**
   * Which admission plugins work, as in `startControlPlane`. In a cluster without controllers, those that depend on them are switched off by
   * default, since no controller creates service accounts, removes the taint of new nodes or the finalizers of volumes.
   */
  readonly admission?: AdmissionOptions;
}

/** The same by the groups of `ClusterOptions`, and the options that are not about the server. */
export function groupedOptions<Others extends object>(
  given: Others & ServerExtensions,
): Pick<ClusterOptions, 'access' | 'admission' | 'extensions'> & {
  readonly stored: Pick<StorageOptions, 'encryption'>;
  readonly others: Omit<Others, keyof ServerExtensions>;
} {
  const {
    authentication,
    authorization,
    authenticators,
    authorizers,
    audit,
    encryption,
    resources,
    paths,
    admission,
    ...others
  } = given;
  return {
    access: { authentication, authorization, authenticators, authorizers, audit },
    admission,
    extensions: { resources, paths },
    stored: { encryption },
    others,
  };
}
