// What other folders may use: what a CustomResourceDefinition means, for the server and for whoever writes one.
export * from './definition/index.ts';
export { checkCustomObject, type CustomObjectCheck } from './values/check-custom-object.ts';
