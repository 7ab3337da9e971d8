package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.launcher.Verb;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;

/** A command that fails says what that means. */
final class FailureWordsTest {

  @Command(name = "fail")
  private static final class Failing implements Callable<Integer> {

    private final Exception failure;

    Failing(Exception failure) {
      this.failure = failure;
    }

    @Override
    public Integer call() throws Exception {
      throw failure;
    }
  }

  private static String complaint(Exception failure) {
    PrintStream err = System.err;
    ByteArrayOutputStream complained = new ByteArrayOutputStream();
    System.setErr(new PrintStream(complained, true, StandardCharsets.UTF_8));
    try {
      assertThat(Verb.run(new Failing(failure))).isEqualTo(1);
      return complained.toString(StandardCharsets.UTF_8);
    } finally {
      System.setErr(err);
    }
  }

  @Test
  void nameOfAFileIsNotTheWholeMessage() {
    assertThat(complaint(new NoSuchFileException("data-1")))
        .isEqualTo("holdfast: there is no file or directory data-1\n");
    assertThat(complaint(new UncheckedIOException(new NoSuchFileException("data-1"))))
        .isEqualTo("holdfast: there is no file or directory data-1\n");
    assertThat(complaint(new IOException("x", new AccessDeniedException("/data"))))
        .contains("may not read or write /data");
    assertThat(complaint(new IllegalStateException("data-1")))
        .contains("a defect of Holdfast", "IllegalStateException: data-1");
  }
}
