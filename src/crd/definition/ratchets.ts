/** Rules that came later than some definitions: each is left out for an update of an object that broke it already. */
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
  /** Expressions that were stored before may use what only stored ones may use. */
  readonly storedRules: ReadonlySet<string>;
  readonly storedMessages: ReadonlySet<string>;
  /** Versions whose rules may be as expensive as they were. */
  readonly unchangedVersions: ReadonlySet<string>;
  /** Versions, or `''` for all of them together, that may have as many selectable fields as they had. */
  readonly crowdedVersions: ReadonlySet<string>;
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
  requiresCaBundle: false, // nobody converts before the definition is established
  allowsDefaults: true,
  storedRules: NONE,
  storedMessages: NONE,
  unchangedVersions: NONE,
  crowdedVersions: NONE,
};

/** What v1beta1 never asked for: a definition that comes by it may leave out what only v1 demands. */
export const oldVersionRatchets = {
  requiresSchema: false,
  requiresKnownTypes: false,
  requiresStructural: false,
  requiresPrunedDefaults: false,
  requiresAtomicSetItems: false,
  requiresMapKeys: false,
} as const satisfies Partial<Ratchets>;
