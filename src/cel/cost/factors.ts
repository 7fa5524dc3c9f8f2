/** Base costs of the language, which Kubernetes keeps stable. */
export const LIST_CREATE = 10;
export const MAP_CREATE = 30;
export const STRUCT_CREATE = 40;
/** Traversing a string once, per character. */
export const STRING_FACTOR = 0.1;
/** Applying a pattern to a string, per character of the pattern. */
export const REGEX_FACTOR = 0.25;
