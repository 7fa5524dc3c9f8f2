// What other folders may use: the meaning of a CustomResourceDefinition, for the server and for authors of definitions.
export * from './definition/index.ts';
export { compilingRules } from './values/rule-tree.ts';
export { checkCustomObject, type CustomObjectCheck } from './values/check-custom-object.ts';
