import type { FieldError } from '../../api/index.ts';
import type { Client, Kind, KubernetesObject, Scope } from '../../client/index.ts';
import type { InstallContext } from './install-options.ts';
import type { Definition, ManifestOptions } from './resource-options.ts';

/** A kind with its definition: what installing it, printing it and converting its objects needs. */
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
  /** The errors that a server would report for the definition; empty if it would accept it. */
  check(): Promise<readonly FieldError[]>;
  /** Converts an object to another version, as the conversion webhook does. */
  convert(object: KubernetesObject, apiVersion: string): KubernetesObject;
  /** Makes a server serve the kind; see `installKinds`. */
  install(client: Client, context: InstallContext): Promise<void>;
}

/** Whether a value was made by `resource`, of this or another copy of this package. */
export function isDefinedKind(value: unknown): value is DefinedKind {
  if (typeof value !== 'object' || value === null) return false;
  const { manifest, check, convert, plural } = value as Partial<DefinedKind>;
  return typeof plural === 'string' && [manifest, check, convert].every((method) => typeof method === 'function');
}
