# What this process does itself: one request after the other, each in a process that it forks.
module McLHelper
  # A process with a request, and the pipes to it.
  class Isolated
    def initialize(text)
      input, @to = IO.pipe.each(&:binmode)
      @from, output = IO.pipe.each(&:binmode)
      @deadline = now + (LIMIT * 4)
      @pid = fork do
        [IN, OUT, @to, @from].each(&:close)
        McLHelper.evaluate(text, input, output)
      end
      [input, output].each(&:close)
    end

    # Passes questions and answers on, and returns the result.
    def result
      loop do
        letter, message = read
        case letter
        when 'q'
          McLHelper.send_compiler(letter, message)
          write(McLHelper.read_compiler)
        when 'r' then return message
        when nil then return died(status)
        else return died('garbage')
        end
      end
    rescue Errno::EPIPE
      died(status)
    end

    # Ends what the request has started, and closes its pipes.
    def finish
      [@to, @from].each(&:close)
      limit = now + 2
      loop do
        nil while Process.wait(-1, Process::WNOHANG)
        kill_others
        exit!(1) if now > limit
        sleep(0.0005)
      end
    rescue Errno::ECHILD
      nil
    end

    private

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    def kill(pid)
      Process.kill(:KILL, pid)
    rescue SystemCallError
      nil
    end

    # Kills the children of this process, and where it is the first of its namespace, all processes there. In the other case
    # the daemons of a request become its children when their parents end.
    def kill_others
      Process.pid == 1 ? kill(-1) : children.each { |pid| kill(pid) }
    end

    def children
      File.read("/proc/self/task/#{Process.pid}/children").split.map(&:to_i)
    rescue SystemCallError
      [@pid]
    end

    # Reads a message; `nil` if the process has ended.
    def read
      head = read_bytes(5) or return
      length = head.unpack1('@1N')
      return ['garbage'] if length > MAX_MESSAGE_BYTES

      message = read_bytes(length)
      message && [head[0], message]
    end

    def read_bytes(count)
      bytes = String.new(encoding: Encoding::BINARY)
      while bytes.bytesize < count
        if ready?([@from], [])
          part = @from.read_nonblock(count - bytes.bytesize, exception: false)
          return if part.nil?

          bytes << part unless part == :wait_readable
        elsif ended?
          # A process that it has started may have the pipe.
          return unless ready?([@from], [])
        end
      end
      bytes
    end

    def write(message)
      until message.empty?
        written = ready?([], [@to]) ? @to.write_nonblock(message, exception: false) : :wait_writable
        message = message.byteslice(written..) unless written == :wait_writable
      end
    end

    # Waits a moment. The compiler ends the whole group earlier than the deadline; if it closes its pipe, it is gone, or needs
    # nothing any more.
    def ready?(readable, writable)
      found = IO.select([IN, *readable], writable, nil, 0.1)
      if now > @deadline || found&.first&.include?(IN)
        finish
        exit!(1)
      end
      !found.nil?
    end

    def ended?
      @status ||= Process.wait2(@pid, Process::WNOHANG)&.last
    end

    def status
      limit = now + 1
      sleep(0.001) until ended? || now > limit
      @status ? @status.to_s.sub(/\Apid \d+ /, '') : 'a closed pipe'
    end

    def died(status)
      JSON.generate('kind' => 'died', 'status' => status)
    end
  end

  def self.send_compiler(letter, message)
    OUT.write(letter, [message.bytesize].pack('N'), message)
  end

  # Reads a message of the compiler, with its length.
  def self.read_compiler
    length = IN.read(4)
    exit!(0) unless length&.bytesize == 4
    length + IN.read(length.unpack1('N'))
  end
end

loop do
  isolated = McLHelper::Isolated.new(McLHelper.read_compiler.byteslice(4..).force_encoding(Encoding::UTF_8))
  result = isolated.result
  isolated.finish
  McLHelper.send_compiler('r', result)
end
