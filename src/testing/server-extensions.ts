import type {
  AccessOptions,
  AdmissionPlugin,
  ClusterOptions,
  ExtensionOptions,
  PluginConfigurations,
  StorageOptions,
} from '../cluster/index.ts';

/** What a test can add to the API server of its cluster. */
export interface ServerExtensions
  extends
    Pick<AccessOptions, 'authentication' | 'authorization' | 'authenticators' | 'authorizers' | 'audit'>,
    Pick<StorageOptions, 'encryption'>,
    ExtensionOptions {
  /** More admission plugins, after the built-in ones. */
  readonly admission?: readonly AdmissionPlugin[];
  /** Admission plugins that are switched on besides those that are by default, by upstream's names. */
  readonly enableAdmission?: readonly string[];
  /**
   * Admission plugins that are switched off, by upstream's names. Default: none; in a cluster without controllers, the plugins that
   * depend on them, since no controller creates service accounts, removes the taint of new nodes or the finalizers of volumes.
   */
  readonly disableAdmission?: readonly string[];
  /** The configuration of admission plugins by their names, in YAML or JSON. */
  readonly admissionConfiguration?: PluginConfigurations;
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
    admission: plugins,
    enableAdmission: enable,
    disableAdmission: disable,
    admissionConfiguration: configuration,
    ...others
  } = given;
  return {
    access: { authentication, authorization, authenticators, authorizers, audit },
    admission: { plugins, enable, disable, configuration },
    extensions: { resources, paths },
    stored: { encryption },
    others,
  };
}
