package dev.holdfast.contract;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.ToLongBiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Backends with one planted fault each. */
final class BrokenBackends {

  private BrokenBackends() {}

  /** A fault in turns. */
  static BiFunction<Journal, Path, StorageBackend> turns(UnaryOperator<StoreTurn> fault) {
    return (journal, _) ->
        new ForwardingBackend(journal) {
          @Override
          StoreTurn spoil(StoreTurn turn, ObjectKey key) {
            return fault.apply(turn);
          }
        };
  }

  /** A fault in the range that a scan reads. */
  static BiFunction<Journal, Path, StorageBackend> ranges(UnaryOperator<KeyRange> fault) {
    return turns(
        turn ->
            new ForwardingTurn(turn) {
              @Override
              public StoreScan scan(KeyRange range) {
                return turn.scan(fault.apply(range));
              }
            });
  }

  /** A fault in the records that recovery reads. */
  static BiFunction<Journal, Path, StorageBackend> recovery(UnaryOperator<RecoveryLog> fault) {
    return (journal, _) ->
        new ForwardingBackend(journal) {
          @Override
          public void recover(RecoveryLog log) {
            backend.recover(fault.apply(log));
          }
        };
  }

  static StoreTurn sealedInsteadOfDiscarded(StoreTurn turn) {
    return new ForwardingTurn(turn) {
      @Override
      public void discard() {
        turn.seal();
      }
    };
  }

  static StoreTurn releasedInsteadOfRolledBack(StoreTurn turn) {
    return new ForwardingTurn(turn) {
      @Override
      public void rollbackToSavepoint() {
        turn.releaseSavepoint();
      }
    };
  }

  static StoreTurn everyKeyExisted(StoreTurn turn) {
    return new ForwardingTurn(turn) {
      @Override
      public boolean delete(byte[] key) {
        turn.delete(key);
        return true;
      }
    };
  }

  static StoreTurn deletesAllButOne(StoreTurn turn) {
    return new ForwardingTurn(turn) {
      @Override
      public void deleteAll() {
        List<byte[]> keys = new ArrayList<>();
        try (StoreScan scan = turn.scan(BackendFixture.ALL)) {
          while (scan.next()) {
            keys.add(scan.key());
          }
        }
        keys.stream().skip(1).forEach(turn::delete);
      }
    };
  }

  static StoreTurn keysEndAtZero(StoreTurn turn) {
    return new ForwardingTurn(turn) {
      @Override
      public void put(byte[] key, byte[] value) {
        int length = 0;
        while (length < key.length && key[length] != 0) {
          length++;
        }
        turn.put(Arrays.copyOf(key, length), value);
      }
    };
  }

  /** Buffers writes and applies them when the turn is sealed. */
  static StoreTurn readsOnlyWhatIsSealed(StoreTurn turn) {
    List<Runnable> writes = new ArrayList<>();
    return new ForwardingTurn(turn) {
      @Override
      public void put(byte[] key, byte[] value) {
        writes.add(() -> turn.put(key, value));
      }

      @Override
      public long seal(@Nullable ByteBuffer events) {
        writes.forEach(Runnable::run);
        return turn.seal(events);
      }
    };
  }

  static RecoveryLog withoutTheLastRecord(RecoveryLog log) {
    return visitor -> {
      List<JournalRecord> records = recordsOf(log);
      records.subList(0, Math.max(0, records.size() - 1)).forEach(visitor::visit);
    };
  }

  static RecoveryLog withEveryRecordMadeOwn(RecoveryLog log, int viewId) {
    return visitor ->
        log.forEach(
            each ->
                visitor.visit(
                    new JournalRecord(
                        each.position(),
                        each.wallMillis(),
                        each.kind(),
                        viewId,
                        each.key(),
                        each.link(),
                        each.payload())));
  }

  private static List<JournalRecord> recordsOf(RecoveryLog log) {
    List<JournalRecord> records = new ArrayList<>();
    log.forEach(records::add);
    return records;
  }

  /** Appends an empty batch if nothing was written. */
  static StorageBackend appendsEmptyBatches(Journal journal) {
    return sealing(
        journal,
        (turn, key) -> {
          long position = turn.seal();
          return position == Journal.START ? appendEmptyBatch(journal, key) : position;
        });
  }

  /** Appends two records for one turn. */
  static StorageBackend appendsTwoRecords(Journal journal) {
    return sealing(
        journal,
        (turn, key) -> {
          appendEmptyBatch(journal, key);
          return turn.seal();
        });
  }

  private static long appendEmptyBatch(Journal journal, ObjectKey key) {
    return journal.append(
        RecordKind.BATCH,
        InMemoryBackend.DEFAULT_VIEW_ID,
        key,
        ChainLink.FIRST,
        ByteBuffer.allocate(4));
  }

  static StorageBackend mixesUpNamespaces(Journal journal) {
    return new ForwardingBackend(journal) {
      @Override
      public ObjectStore store(ObjectKey key) {
        return super.store(new ObjectKey("contract", key.id()));
      }
    };
  }

  static StorageBackend needsNothing(Journal journal) {
    return new ForwardingBackend(journal) {
      @Override
      public long lowWaterMark() {
        return Long.MAX_VALUE;
      }
    };
  }

  /** Records which record it needs only after append has returned. */
  static StorageBackend notesItsNeedTooLate(Journal journal) {
    return new ForwardingBackend(journal) {
      private long first = Long.MAX_VALUE;

      @Override
      StoreTurn spoil(StoreTurn turn, ObjectKey key) {
        return new ForwardingTurn(turn) {
          @Override
          public long seal(@Nullable ByteBuffer events) {
            long position = turn.seal(events);
            first = Math.min(first, position);
            return position;
          }
        };
      }

      @Override
      public long lowWaterMark() {
        return first;
      }
    };
  }

  /** Writes batches to its own files before the journal is durable, and trusts those files. */
  static StorageBackend trustsItsFiles(Journal journal, Path directory) {
    InMemoryJournal records = (InMemoryJournal) journal;
    return new ForwardingBackend(journal) {
      @Override
      StoreTurn spoil(StoreTurn turn, ObjectKey key) {
        return new ForwardingTurn(turn) {
          @Override
          public long seal(@Nullable ByteBuffer events) {
            long position = turn.seal(events);
            if (position != Journal.START) {
              write(directory, records.records().getLast());
            }
            return position;
          }
        };
      }

      @Override
      public void recover(RecoveryLog log) {
        backend.recover(
            visitor -> {
              List<JournalRecord> durable = recordsOf(log);
              durable.forEach(visitor::visit);
              durable.stream()
                  .limit(1)
                  .flatMap(any -> readAfter(directory, durable.size(), any).stream())
                  .forEach(visitor::visit);
            });
      }
    };
  }

  private static void write(Path directory, JournalRecord record) {
    byte[] payload = new byte[record.payload().remaining()];
    record.payload().duplicate().get(payload);
    try {
      Files.write(directory.resolve("%04d".formatted(record.position())), payload);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads the batches after a position; for one object only, which is enough for the fault. */
  private static List<JournalRecord> readAfter(Path directory, long position, JournalRecord like) {
    try (Stream<Path> files = Files.list(directory)) {
      List<JournalRecord> records = new ArrayList<>();
      for (Path file : (Iterable<Path>) files.sorted()::iterator) {
        long number = Long.parseLong(file.getFileName().toString());
        if (number > position) {
          ByteBuffer payload = ByteBuffer.wrap(Files.readAllBytes(file));
          records.add(
              new JournalRecord(
                  number,
                  like.wallMillis(),
                  like.kind(),
                  like.viewId(),
                  like.key(),
                  like.link(),
                  payload));
        }
      }
      return records;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static StorageBackend sealing(
      Journal journal, ToLongBiFunction<StoreTurn, ObjectKey> seal) {
    return new ForwardingBackend(journal) {
      @Override
      StoreTurn spoil(StoreTurn turn, ObjectKey key) {
        return new ForwardingTurn(turn) {
          @Override
          public long seal(@Nullable ByteBuffer events) {
            return seal.applyAsLong(turn, key);
          }
        };
      }
    };
  }
}
