export { checkFormat } from './check-format.ts';
export { formatText } from './format-text.ts';
