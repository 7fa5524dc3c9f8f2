// The storage object in use protection controllers.
export { attributesClassProtection } from './attributes-class-protection.ts';
export { claimProtection } from './claim-protection.ts';
export { volumeProtection } from './volume-protection.ts';
