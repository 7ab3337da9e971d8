package dev.holdfast.http.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReputationFeedTest {

  @TempDir private Path directory;

  private ReputationFeed feed(String text) throws IOException {
    return ReputationFeed.ofFile(Files.writeString(directory.resolve("feed"), text));
  }

  @Test
  void hostsAndUrlsHaveCategories() throws IOException {
    ReputationFeed feed =
        feed(
            """
            # a comment

            Evil.example.net\tMalware, Phishing
            https://cdn.example.net/x.js\tCrypto mining
            """);

    assertThat(feed.categories("evil.example.net")).containsExactly("Malware", "Phishing");
    assertThat(feed.categories("https://cdn.example.net/x.js")).containsExactly("Crypto mining");
    assertThat(feed.categories("cdn.example.net")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"evil.example.net", "\tMalware", "evil.example.net\t"})
  void aMalformedLineIsReportedWithItsNumber(String line) {
    assertThatThrownBy(() -> feed("# first\n" + line + "\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("line 2");
  }
}
