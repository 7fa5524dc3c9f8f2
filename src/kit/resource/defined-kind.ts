import type { FieldError } from '../../api/index.ts';
import type { Client, Kind, KubernetesObject, Scope } from '../../client/index.ts';
import type { InstallContext } from './install-options.ts';
import type { Definition, ManifestOptions } from './resource-options.ts';

/** A kind that comes with its definition: all that those need who install it, print it or convert its objects. */
export interface DefinedKind<T extends KubernetesObject = KubernetesObject, S extends Scope = Scope> extends Kind<
  T,
  S
> {
  /** All versions, the newest first. */
  readonly versions: readonly string[];
  /** True when the app must answer conversion requests. */
  readonly isConverted: boolean;
  /** The CustomResourceDefinition. */
  manifest(options?: ManifestOptions): Definition;
  /** What a server would say against the definition; nothing when it would take it. */
  check(): Promise<readonly FieldError[]>;
  /** An object of one version in another one: what the conversion webhook answers with. */
  convert(object: KubernetesObject, apiVersion: string): KubernetesObject;
  /** Makes a server serve the kind; see `installKinds`. */
  install(client: Client, context: InstallContext): Promise<void>;
}

/** Whether a value was made by `resource`, whichever copy of this package made it. */
export function isDefinedKind(value: unknown): value is DefinedKind {
  if (typeof value !== 'object' || value === null) return false;
  const { manifest, check, convert, plural } = value as Partial<DefinedKind>;
  return typeof plural === 'string' && [manifest, check, convert].every((method) => typeof method === 'function');
}
