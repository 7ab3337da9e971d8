package dev.holdfast.system.power;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A disk that says it has synced a file and has not: what the power tests must find out. */
record UnsyncedDisk(Disk disk) implements Disk {

  @Override
  public DiskFile open(Path file, Mode mode) throws IOException {
    return new UnsyncedFile(disk.open(file, mode));
  }

  @Override
  public boolean exists(Path path) {
    return disk.exists(path);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    return disk.list(directory);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    disk.createDirectories(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    disk.delete(file);
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    disk.move(from, to);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    disk.forceDirectory(directory);
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return disk.usableBytes(directory);
  }

  private record UnsyncedFile(DiskFile file) implements DiskFile {

    @Override
    public int read(byte[] target, int targetOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      return file.read(target, targetOffset, lengthBytes, offsetBytes);
    }

    @Override
    public void write(byte[] source, int sourceOffset, int lengthBytes, long offsetBytes)
        throws IOException {
      file.write(source, sourceOffset, lengthBytes, offsetBytes);
    }

    @Override
    public void force() {}

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void truncate(long sizeBytes) throws IOException {
      file.truncate(sizeBytes);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
