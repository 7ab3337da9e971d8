package dev.holdfast.archive.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where an archive is, as a text. */
final class S3LocationTest {

  @Test
  void textNamesBucketAndPrefix() {
    assertThat(S3Location.parse("s3://orders")).isEqualTo(new S3Location("orders", "", null, null));
    assertThat(S3Location.parse("s3://orders/a/b/"))
        .isEqualTo(new S3Location("orders", "a/b", null, null))
        .hasToString("s3://orders/a/b");
    assertThat(
            S3Location.parse("s3://orders/a")
                .withEndpoint(URI.create("https://objects.example:9000"))
                .withRegion("eu-central-1"))
        .hasToString("s3://orders/a at https://objects.example:9000");
  }

  @Test
  void textThatNamesNoneIsRefused() {
    for (String text :
        List.of("orders/a", "s3:/orders", "s3://", "s3:///a", "s3://ORDERS/a", "s3://orders//a")) {
      assertThatThrownBy(() -> S3Location.parse(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void endpointWithCredentialsIsRefusedAndNotRepeated() {
    S3Location location = S3Location.parse("s3://orders");
    assertThatThrownBy(() -> location.withEndpoint(URI.create("https://someone:secret@host")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> location.withEndpoint(URI.create("host:9000")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
