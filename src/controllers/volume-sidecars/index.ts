// What other folders may use: the controllers of a volume driver.
export { volumeSidecars } from './volume-sidecars.ts';
