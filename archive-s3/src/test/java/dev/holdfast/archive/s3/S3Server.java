package dev.holdfast.archive.s3;

import java.net.URI;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.s3.S3Client;

/** A server on loopback, in this process, with one empty bucket in memory. */
final class S3Server implements AutoCloseable {

  static final String BUCKET = "archives";

  static final AwsCredentialsProvider CREDENTIALS =
      StaticCredentialsProvider.create(AwsBasicCredentials.create("someone", "a-secret"));

  private final S3Proxy server;

  /** Starts a server that checks the signature of every request, or none. */
  S3Server(boolean checksSignatures) {
    server =
        S3Proxy.builder()
            .endpoint(URI.create("http://127.0.0.1:0"))
            .awsAuthentication(
                checksSignatures ? AuthenticationType.AWS_V4 : AuthenticationType.NONE,
                "someone",
                "a-secret")
            .stopTimeout(0)
            .blobStore(new TransientNio2BlobStore())
            .build();
    try {
      server.start();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    try (S3Client client = client(port())) {
      client.createBucket(request -> request.bucket(BUCKET));
    }
  }

  int port() {
    return server.getPort();
  }

  /** A place in the bucket, by a port of the server or of a proxy. */
  static S3Location location(int port, String prefix) {
    return S3Location.parse("s3://" + BUCKET + "/" + prefix)
        .withEndpoint(URI.create("http://127.0.0.1:" + port));
  }

  /** A store that repeats a request twice and at once. */
  static S3Archive store(int port, String prefix, String instance) {
    S3Location location = location(port, prefix);
    return new S3Archive(
        S3Archive.builder(location)
            .credentialsProvider(CREDENTIALS)
            .overrideConfiguration(
                c ->
                    c.retryStrategy(
                        StandardRetryStrategy.builder()
                            .maxAttempts(3)
                            .backoffStrategy(BackoffStrategy.retryImmediately())
                            .throttlingBackoffStrategy(BackoffStrategy.retryImmediately())
                            .circuitBreakerEnabled(false)
                            .build()))
            .build(),
        location,
        instance);
  }

  private static S3Client client(int port) {
    return S3Archive.builder(location(port, "")).credentialsProvider(CREDENTIALS).build();
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
