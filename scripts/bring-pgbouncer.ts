// PgBouncer for the tests through it: `npm run test:pgbouncer` and `npm run test:rest` run this before them. On Debian as root
// it installs the distribution's package.
import { findPgbouncer, PGBOUNCER_REMEDY } from "../test/support/pgbouncer.ts";
import { bring } from "./debian-package.ts";

bring({ name: "PgBouncer", packages: ["pgbouncer"], remedy: PGBOUNCER_REMEDY, find: findPgbouncer });
