package dev.holdfast.ledger.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.ledger.Transfer;
import dev.holdfast.ledger.demo.TransferFile.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TransferFileTest {

  private static final Transfer FIRST = new Transfer("t1", "a", "b", 1_250);

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "t1,a,b,12.50\n",
        "t1,a,b,12.5",
        "id,from,to,amount\nt1,a,b,12.50\n",
        "id,from,to,amount\r\nt1,a,b,12.50\r\n",
        "\uFEFFid,from,to,amount\nt1,a,b,12.50\n",
        "\uFEFFt1,a,b,12.50\n",
        "\"t1\",\"a\",\"b\",\"12.50\"\n",
        "\n\nt1, a , b, 12.50\n\n",
        "t1,a,b,12.50\nt1,a,b,12.50\n",
      })
  void everyUsualShapeOfAFileIsRead(String text) throws IOException {
    TransferFile file = TransferFile.read(write(text));

    assertThat(file.transfers()).containsExactly(FIRST);
    assertThat(file.problems()).isEmpty();
  }

  @Test
  void quotedFieldMayHoldACommaAndAQuote() throws IOException {
    TransferFile file = TransferFile.read(write("t1,\"a,1\",\"b\"\"2\",1\n"));

    assertThat(file.transfers()).containsExactly(new Transfer("t1", "a,1", "b\"2", 100));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "t2,a,b                | expected 4 fields (id,from,to,amount), found 3",
        "t2,a,b,1.00,x         | expected 4 fields (id,from,to,amount), found 5",
        "t2,a,b,twelve         | \"twelve\" is not an amount such as 12.50",
        "t2,a,b,1.001          | \"1.001\" is not an amount such as 12.50",
        "t2,a,b,1e30           | \"1e30\" is not an amount such as 12.50",
        "t2,a,b,1234567890     | \"1234567890\" is not an amount such as 12.50",
        "t2,a,b,0              | the amount must be more than zero: 0 cents",
        "t2,a,b,-5             | the amount must be more than zero: -500 cents",
        "t2,a,a,5              | from and to are the same account, a",
        ",a,b,5                | a transfer needs an id and two accounts",
        "t1,a,b,99             | id t1 was used before for another transfer of a",
        "t2,\"a,b,5            | not a CSV line",
        "t2,\"a\"x,b,5         | not a CSV line",
      })
  void malformedLineIsSkippedAndNamed(String line, String reason) throws IOException {
    TransferFile file = TransferFile.read(write("t1,a,b,12.50\n" + line + "\nt3,b,a,1\n"));

    assertThat(file.transfers()).containsExactly(FIRST, new Transfer("t3", "b", "a", 100));
    assertThat(file.problems()).hasSize(1);
    assertThat(file.problems().getFirst().line()).isEqualTo(2);
    assertThat(file.problems().getFirst().reason()).startsWith(reason);
  }

  @Test
  void skippedAndRepeatedLinesAreReported() throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();

    TransferFile.read(write("t1,a,b,12.50\nt2,a,b\nt1,a,b,12.50\n"))
        .report(new PrintStream(text, /* autoFlush= */ true, StandardCharsets.UTF_8));

    assertThat(text.toString(StandardCharsets.UTF_8))
        .contains("file.csv: 3 lines", "line 2 skipped: expected 4 fields")
        .contains("1 transfers between 2 accounts; 1 lines skipped, 1 repeat another");
  }

  @Test
  void oneIdOfTwoAccountsNamesTwoTransfers() throws IOException {
    TransferFile file = TransferFile.read(write("t1,a,b,1\nt1,b,a,1\n"));

    assertThat(file.transfers()).hasSize(2);
    assertThat(file.accounts()).containsExactly("a", "b");
  }

  @Test
  void missingFileIsNamed() {
    Path file = directory.resolve("missing.csv");

    assertThatThrownBy(() -> TransferFile.read(file))
        .isInstanceOf(WrongInputException.class)
        .hasMessage("There is no file " + file + ".");
  }

  @Test
  void directoryIsRefused() {
    assertThatThrownBy(() -> TransferFile.read(directory))
        .isInstanceOf(WrongInputException.class)
        .hasMessageContaining("is not a file");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n\n", "id,from,to,amount\n", "\uFEFF"})
  void fileWithoutTransfersIsRefused(String text) throws IOException {
    Path file = write(text);

    assertThatThrownBy(() -> TransferFile.read(file))
        .isInstanceOf(WrongInputException.class)
        .hasMessageContaining("holds no transfer");
  }

  @Test
  void fileOfOtherLinesIsRefusedWithTheFirstReason() throws IOException {
    Path file = write("Dear reader,\nthis is a letter.\n");

    assertThatThrownBy(() -> TransferFile.read(file))
        .isInstanceOf(WrongInputException.class)
        .hasMessageContaining("line 1: expected 4 fields");
  }

  @Test
  void binaryFileIsRefused() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[] {0x50, 0x4B, 3, 4, 0, 0, 9});

    assertThatThrownBy(() -> TransferFile.read(file)).hasMessageContaining("is not text");
  }

  @Test
  void fileInAnotherEncodingIsRefused() throws IOException {
    Path file =
        Files.write(
            directory.resolve("file"), "t1,käse,b,1\n".getBytes(StandardCharsets.ISO_8859_1));

    assertThatThrownBy(() -> TransferFile.read(file)).hasMessageContaining("UTF-8");
  }

  @Test
  void sampleHasTheLinesAndTheFaultsItPromises() throws IOException {
    Path sample = directory.resolve("sample.csv");
    SampleTransfers.write(sample);

    TransferFile file = TransferFile.read(sample);

    assertThat(file.lineCount()).isEqualTo(20_000);
    assertThat(file.accounts()).hasSize(200);
    assertThat(file.problems())
        .extracting(Problem::line)
        .isEqualTo(
            List.of(
                1_800L, 3_600L, 5_400L, 7_200L, 9_000L, 10_800L, 12_600L, 14_400L, 16_200L, 18_000L,
                19_800L));
    assertThat(file.transfers()).hasSizeGreaterThan(19_900);
  }

  private Path write(String text) throws IOException {
    return Files.writeString(directory.resolve("file.csv"), text);
  }
}
