import { DEFAULT_KUBERNETES_VERSION, type KubernetesVersion, type MinorVersion, minorOf } from '../../base/index.ts';

/** Rules that are newer than some definitions: each is skipped for an update of an object that already broke it. */
export interface Ratchets {
  readonly requiresRecognizedReview: boolean;
  readonly requiresSameNames: boolean;
  readonly requiresSchema: boolean;
  readonly requiresKnownTypes: boolean;
  readonly requiresStructural: boolean;
  readonly requiresPrunedDefaults: boolean;
  readonly requiresAtomicSetItems: boolean;
  readonly requiresMapKeys: boolean;
  readonly requiresCaBundle: boolean;
  readonly allowsDefaults: boolean;
  /** The version whose language new expressions may use. */
  readonly newExpressions: MinorVersion;
  /** Stored expressions, which may keep using what new ones may not. */
  readonly storedRules: ReadonlySet<string>;
  readonly storedMessages: ReadonlySet<string>;
  /** Versions whose rules may stay as expensive as they were. */
  readonly unchangedVersions: ReadonlySet<string>;
  /** Versions, or `''` for all of them together, that may keep as many selectable fields as they have. */
  readonly crowdedVersions: ReadonlySet<string>;
}

/** New expressions must also work in the previous release, so that an upgrade can be rolled back. */
export function versionOfNewExpressions(kubernetes: KubernetesVersion): MinorVersion {
  return minorOf(kubernetes) - 1;
}

const NONE: ReadonlySet<string> = new Set();

export const newDefinitionRatchets: Ratchets = {
  requiresRecognizedReview: true,
  requiresSameNames: false,
  requiresSchema: true,
  requiresKnownTypes: true,
  requiresStructural: true,
  requiresPrunedDefaults: true,
  requiresAtomicSetItems: true,
  requiresMapKeys: true,
  requiresCaBundle: false, // conversion is not used before the definition is established
  allowsDefaults: true,
  newExpressions: versionOfNewExpressions(DEFAULT_KUBERNETES_VERSION),
  storedRules: NONE,
  storedMessages: NONE,
  unchangedVersions: NONE,
  crowdedVersions: NONE,
};

/** What v1beta1 does not require: a definition sent in it may leave out what only v1 requires. */
export const oldVersionRatchets = {
  requiresSchema: false,
  requiresKnownTypes: false,
  requiresStructural: false,
  requiresPrunedDefaults: false,
  requiresAtomicSetItems: false,
  requiresMapKeys: false,
} as const satisfies Partial<Ratchets>;
