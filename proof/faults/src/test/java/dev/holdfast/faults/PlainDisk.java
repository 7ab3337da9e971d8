package dev.holdfast.faults;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The disk of the machine, as simply as tests of disks need it. Thread-safe. */
final class PlainDisk implements Disk {

  @Override
  public DiskFile open(Path file, Mode mode) throws IOException {
    Set<StandardOpenOption> options =
        switch (mode) {
          case READ -> Set.of(StandardOpenOption.READ);
          case WRITE -> Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
          case CREATE ->
              Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        };
    return new PlainFile(FileChannel.open(file, options));
  }

  @Override
  public boolean exists(Path path) {
    return Files.exists(path);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.sorted().toList();
    }
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    Files.createDirectories(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  /** Thread rules as for {@link DiskFile}. */
  private record PlainFile(FileChannel channel) implements DiskFile {

    @Override
    public int read(byte[] target, int targetOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      int read = channel.read(ByteBuffer.wrap(target, targetOffset, lengthBytes), offsetBytes);
      return Math.max(0, read);
    }

    @Override
    public void write(byte[] source, int sourceOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      ByteBuffer buffer = ByteBuffer.wrap(source, sourceOffset, lengthBytes);
      while (buffer.hasRemaining()) {
        channel.write(buffer, offsetBytes + buffer.position() - sourceOffset);
      }
    }

    @Override
    public void force() throws IOException {
      channel.force(false);
    }

    @Override
    public long size() throws IOException {
      return channel.size();
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      channel.truncate(sizeBytes);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
