package dev.holdfast.backend.sqlite.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import org.junit.jupiter.api.Test;

final class CatalogRecordsTest {

  private final InMemoryJournal journal = new InMemoryJournal(Durability.ON_WAIT);
  private final CatalogRecords records = new CatalogRecords(journal, 1);

  /**
   * Between the changes that were written and the mark that was saved nothing was kept. A group of
   * that moment let the next opening begin after the mark, and the catalog was refused.
   */
  @Test
  void markOfTheFirstSaveIsKeptBeforeItIsSaved() {
    assertThat(records.lowestPosition()).isEqualTo(Long.MAX_VALUE);
    Mark first = records.appendMark(1);
    records.saving(first);
    assertThat(records.lowestPosition()).isEqualTo(first.position());
    records.saved(first, first.position() + 1, 1);
    assertThat(records.lowestPosition()).isEqualTo(first.position());
  }

  @Test
  void markThatWasNotSavedIsKeptUntilALaterOneIs() {
    Mark first = records.appendMark(1);
    records.saving(first);
    Mark second = records.appendMark(1);
    records.saving(second);
    assertThat(records.lowestPosition()).isEqualTo(first.position());
    records.saved(second, second.position() + 1, 1);
    assertThat(records.lowestPosition()).isEqualTo(second.position());
  }

  @Test
  void olderMarkIsKeptUntilALaterOneIsSaved() {
    Mark first = records.appendMark(1);
    records.saving(first);
    records.saved(first, first.position() + 1, 1);
    Mark second = records.appendMark(2);
    records.saving(second);
    assertThat(records.lowestPosition()).isEqualTo(first.position());
    records.saved(second, second.position() + 1, 2);
    assertThat(records.lowestPosition()).isEqualTo(second.position());
  }
}
