// What other folders may use: the Container Storage Interface, both sides.
export * from './published.ts';
