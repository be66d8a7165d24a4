/**
 * No file that people send is larger. The proxies of deploy/ let as much through, and a little for what is around it:
 * docs/security.md#files
 */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;
