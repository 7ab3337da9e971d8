/** Archives in object storage that speaks the protocol of Amazon S3. */
@SuppressWarnings({
  "module", // a name with a digit at its end
  "requires-automatic", // the SDK has names, no descriptors
  "requires-transitive-automatic"
})
module dev.holdfast.archive.s3 {
  requires transitive dev.holdfast.api;
  requires transitive software.amazon.awssdk.auth;
  requires software.amazon.awssdk.awscore;
  requires software.amazon.awssdk.core;
  requires software.amazon.awssdk.http;
  requires software.amazon.awssdk.http.urlconnection;
  requires software.amazon.awssdk.regions;
  requires software.amazon.awssdk.services.s3;
  requires static transitive org.jspecify;

  exports dev.holdfast.archive.s3;
}
