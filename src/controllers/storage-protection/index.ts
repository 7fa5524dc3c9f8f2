// What the list of controllers may use: keeping storage objects while they are used.
export { attributesClassProtection } from './attributes-class-protection.ts';
export { claimProtection } from './claim-protection.ts';
export { volumeProtection } from './volume-protection.ts';
