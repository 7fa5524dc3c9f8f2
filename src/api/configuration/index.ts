// What the rest of the API may use: files that configure servers, and how they are read.
export {
  type ConfigurationFields,
  type ConfigurationKind,
  configurationStruct,
  DURATION,
  EMBEDDED,
  FLAG,
  INTEGER,
  listOf,
  LONG,
  mapOf,
  objectOf,
  TEXT,
} from './configuration-kind.ts';
export {
  type LenientConfiguration,
  readConfiguration,
  readConfigurationLeniently,
  type ReadConfigurationOptions,
  UnknownConfigurationKind,
} from './read-configuration.ts';
