// Says what `npm run test:citus` needs, before it runs on a plain PostgreSQL without a word.
if (!process.env["CITUS_URL"]) {
  console.error(
    "CITUS_URL must be the URL of a Citus coordinator, as a superuser, such as postgres://nodal@127.0.0.1:5432/nodal. " +
      "Its workers are those of that database; each file of the tests makes a database of its own on all of them.",
  );
  process.exit(1);
}
