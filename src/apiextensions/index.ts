// What other folders may use: serving what CustomResourceDefinitions define.
export { Definitions, type DefinitionsOptions } from './definitions.ts';
