# The helper process: evaluates templates and functions that the compiler sends, and nothing else.
#
# Each request is evaluated in a process of its own, which is forked from this one, so that none sees what another has changed.
# It has pipes of its own, too: this process passes messages on, each with a letter that says whether it is a question or the
# result, and reads none of them. After the result nothing of a request is left: no process, and no pipe that leads here.
#
# A message to a request is a length of four bytes and JSON. One from a request has the letter before it.

require 'json'
require 'erb'

module McLHelper
  LIMIT = Integer(ARGV.fetch(0))
  MAX_MESSAGE_BYTES = 256 << 20
  # None of these can be raised again.
  { AS: Integer(ARGV.fetch(1)), FSIZE: 0, CORE: 0 }.each { |name, most| Process.setrlimit(name, most, most) }
  trap('XFSZ', 'SIG_IGN')
  # No process of the same user can look into this one or change it, and processes whose parents end become children of this
  # one: PR_SET_DUMPABLE and PR_SET_CHILD_SUBREAPER of prctl.
  [[4, 0], [36, 1]].each { |option, value| syscall(Integer(ARGV.fetch(2)), option, value, 0, 0, 0) }
  # Descriptors that the parent's parent left open are not for templates. Those of Ruby itself cannot be closed.
  Dir.children('/proc/self/fd').map(&:to_i).select { |fd| fd > 2 }.product(%w[r w]).each do |fd, mode|
    IO.for_fd(fd, mode).close
  rescue StandardError
    nil
  end
  IN = $stdin.dup.binmode
  OUT = $stdout.dup.binmode
  OUT.sync = true
  null = File.open('/dev/null', 'r+')
  $stdin.reopen(null)
  $stdout.reopen(null)
  $stderr.reopen(null)

  # What the compiler answers with an error.
  class CompilerError < StandardError
  end

  module_function

  def send_message(letter, message)
    text = JSON.generate(message, max_nesting: false)
    @output.write(letter, [text.bytesize].pack('N'), text)
  end

  # Asks the compiler.
  def ask(message)
    send_message('q', message)
    length = @input.read(4) or exit!(0)
    answer = JSON.parse(@input.read(length.unpack1('N')), max_nesting: false)
    raise CompilerError, answer['message'] if answer['kind'] == 'error'

    decode(answer['value'])
  end

  def encode(value)
    case value
    when nil, true, false then value
    when Integer then value.bit_length < 64 ? value : { 't' => 'integer', 'v' => value.to_s }
    when Float then value.finite? ? value : { 't' => 'float', 'v' => value.to_s }
    when String then encode_string(value)
    when :undef then nil
    when :default then { 't' => 'default' }
    when Symbol then value.to_s
    when Array then value.map { |element| encode(element) }
    when Hash then { 't' => 'hash', 'v' => value.map { |key, element| [encode(key), encode(element)] } }
    when Puppet::Pops::Types::PSensitiveType::Sensitive then { 't' => 'sensitive', 'v' => encode(value.unwrap) }
    when PuppetValue then { 't' => value.kind, 'v' => value.to_s }
    when Regexp then { 't' => 'regexp', 'v' => value.source }
    else raise Puppet::Error, "an object of the class #{value.class} cannot be a value"
    end
  end

  def encode_string(text)
    text = text.dup.force_encoding(Encoding::UTF_8) if text.encoding == Encoding::ASCII_8BIT
    text = text.encode(Encoding::UTF_8) unless text.encoding == Encoding::UTF_8
    text.valid_encoding? ? text : { 't' => 'binary', 'v' => [text.b].pack('m0') }
  end

  def decode(json)
    case json
    when Array then json.map { |element| decode(element) }
    when Hash
      value = json['v']
      case json['t']
      when 'hash' then value.to_h { |key, element| [decode(key), decode(element)] }
      when 'sensitive' then Puppet::Pops::Types::PSensitiveType::Sensitive.new(decode(value))
      when 'default' then :default
      when 'float' then { 'NaN' => Float::NAN, 'Infinity' => Float::INFINITY }.fetch(value, -Float::INFINITY)
      when 'regexp' then Regexp.new(value)
      when 'binary' then value.unpack1('m').freeze
      else PuppetValue.new(json['t'], value)
      end
    when String then json.freeze
    else json
    end
  end

  # A value of the language that Ruby has no class for.
  class PuppetValue
    attr_reader :kind

    def initialize(kind, text)
      @kind = kind
      @text = text
    end

    def to_s
      @text
    end
    alias inspect to_s

    def ==(other)
      other.is_a?(PuppetValue) && other.kind == kind && other.to_s == to_s
    end
    alias eql? ==

    def hash
      @text.hash
    end
  end

  # The scope that templates and functions see.
  class Scope
    def lookupvar(name, _options = {})
      McLHelper.ask('kind' => 'variable', 'name' => name.to_s)
    end
    alias [] lookupvar

    def include?(name)
      McLHelper.ask('kind' => 'has_variable', 'name' => name.to_s)
    end
    alias exist? include?
    alias bound? include?

    def to_hash(*)
      McLHelper.ask('kind' => 'variables')
    end

    def setvar(name, value, _options = {})
      McLHelper.ask('kind' => 'set_variable', 'name' => name.to_s, 'value' => McLHelper.encode(value))
      value
    end
    alias []= setvar

    def call_function(name, arguments, &block)
      McLHelper.call_compiler(name, arguments, &block)
    end

    def catalog
      raise NotImplementedError, 'the catalog is not there without Puppet'
    end

    def resource
      McLHelper.ask('kind' => 'resource')
    end

    def to_s
      "Scope(#{resource})"
    end

    def warning(message)
      Puppet.warning(message)
    end
    alias warn warning

    def notice(message)
      Puppet.notice(message)
    end

    def respond_to_missing?(name, _private = false)
      name.to_s.start_with?('function_') || super
    end

    def method_missing(name, *arguments, &block)
      function = name.to_s[/\Afunction_(.*)/, 1] or return super
      unless arguments.length == 1 && arguments[0].is_a?(Array)
        raise ArgumentError, 'custom functions must be called with a single array that contains the arguments. ' \
                             "For example, function_example([1]) instead of function_example(1)"
      end
      McLHelper.call_compiler(function, arguments[0], &block)
    end
  end

  # What a template is evaluated in.
  class TemplateWrapper
    def initialize(variables, file)
      @__scope__ = Scope.new
      @__file__ = file
      variables.each { |name, value| instance_variable_set("@#{name}", value) if name.match?(/\A[a-z_]\w*\z/) }
    end

    def scope
      @__scope__
    end

    def file
      @__file__
    end

    def has_variable?(name)
      scope.include?(name)
    end

    def render(erb)
      erb.result(binding)
    end
  end

  def call_compiler(name, arguments, &block)
    raise NotImplementedError, "a block of Ruby cannot be passed to the function '#{name}'" if block

    ask('kind' => 'call', 'name' => name.to_s, 'arguments' => arguments.map { |argument| encode(argument) })
  end

  def render(request)
    wrapper = TemplateWrapper.new(decode(request['variables']), request['file'])
    erb = ERB.new(request['text'], trim_mode: '-')
    erb.filename = request['file']
    wrapper.render(erb)
  end

  def call(request)
    Functions.clear
    eval(request['text'], TOPLEVEL_BINDING.dup, request['file'])
    arguments = decode(request['arguments'])
    function = Functions[request['name']] or
      raise Puppet::Error, "#{request['file']} does not define the function '#{request['name']}'"
    function.call(arguments, request['block'])
  end

  # The functions that the text of a request has defined.
  Functions = {}

  def handle(request)
    case request['kind']
    when 'render' then render(request)
    when 'call' then call(request)
    else raise Puppet::Error, 'unknown request'
    end
  end

  def failure(error, file)
    at = Array(error.backtrace).find { |place| place.start_with?("#{file}:") }
    line = at && at[file.length + 1..].to_i
    line ||= error.message[/\A#{Regexp.escape(file)}:(\d+):/, 1]&.to_i if error.is_a?(SyntaxError)
    message = error.message.to_s.encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
    { 'kind' => 'failed', 'class' => error.class.name.to_s, 'message' => message, 'line' => line }
  end

  # Evaluates a request in this process, which is forked for it.
  def evaluate(text, input, output)
    @input = input
    @output = output
    @output.sync = true
    Process.setrlimit(Process::RLIMIT_CPU, LIMIT)
    request = JSON.parse(text, max_nesting: false)
    begin
      send_message('r', outcome(request))
    rescue StandardError => e
      send_message('r', failure(e, request['file']))
    end
    exit!(0)
  end

  def outcome(request)
    { 'kind' => 'result', 'value' => encode(handle(request)) }
  rescue SystemExit
    { 'kind' => 'died', 'status' => 'exit' }
  rescue Exception => e # rubocop:disable Lint/RescueException
    failure(e, request['file'])
  end

  # Type references of a signature, in the notation of the compiler.
  class Dispatch
    attr_reader :method_name, :parts, :scope_parameters

    def initialize(method_name)
      @method_name = method_name
      @parts = []
      @count = 0
      @scope_parameters = []
    end

    def param(type, name)
      add("#{type} #{name}")
    end
    alias required_param param

    def optional_param(type, name)
      add("#{type} ?#{name}")
    end

    def repeated_param(type, name)
      add("#{type} *#{name}")
    end
    alias optional_repeated_param repeated_param

    def required_repeated_param(type, name)
      add("#{type} +#{name}")
    end

    def block_param(type = 'Callable', name = 'block')
      type, name = 'Callable', type if type.is_a?(Symbol)
      @parts << "#{type} &#{name}"
    end
    alias required_block_param block_param

    def optional_block_param(type = 'Callable', name = 'block')
      type, name = 'Callable', type if type.is_a?(Symbol)
      @parts << "#{type} ?&#{name}"
    end

    def scope_param
      @scope_parameters << @count
    end

    def return_type(type)
      @returns = type
    end

    def text
      @parts.join(', ') + (@returns ? " >> #{@returns}" : '')
    end

    private

    def add(text)
      @count += 1
      @parts << text
    end
  end

  # The lambda of a call.
  def block_of(block)
    return unless block

    ->(*arguments) { ask('kind' => 'block', 'arguments' => arguments.map { |argument| encode(argument) }) }
  end
end

# What functions use of Puppet's library. Everything else of it is unknown here.
module Puppet
  class Error < StandardError
    def initialize(message, original = nil)
      super(message)
      @original = original
    end
    attr_reader :original
  end

  class ParseError < Error
    def initialize(message, file = nil, line = nil, _position = nil, original = nil)
      super(message, original)
      @file = file
      @line = line
    end
    attr_reader :file, :line
  end

  class ArgumentError < ::ArgumentError
  end
  DevError = Class.new(Error)

  %w[debug info notice warning err alert emerg crit].each do |level|
    define_singleton_method(level) do |message = nil, &text|
      McLHelper.ask('kind' => 'log', 'level' => level, 'message' => (message || text&.call).to_s)
    end
  end

  def self.version
    '7.23.0'
  end

  def self.deprecation_warning(message, *)
    warning(message)
  end

  def self.warn_once(_kind, _key, message, *)
    warning(message)
  end

  def self.lookup(*)
    raise NotImplementedError, 'Puppet.lookup is not there without Puppet'
  end

  module Pops
    module Types
      module PSensitiveType
        class Sensitive
          def initialize(value)
            @value = value.is_a?(Sensitive) ? value.unwrap : value
          end

          def unwrap
            @value
          end

          def to_s
            'Sensitive [value redacted]'
          end

          def inspect
            '#<Sensitive [value redacted]>'
          end

          def ==(other)
            other.is_a?(Sensitive) && other.unwrap == unwrap
          end
          alias eql? ==

          def hash
            @value.hash
          end
        end
      end
    end
  end

  # The newer interface of functions.
  module Functions
    class Function
      def self.dispatch(method_name, &body)
        dispatches << McLHelper::Dispatch.new(method_name).tap { |dispatch| dispatch.instance_eval(&body) }
      end

      def self.dispatches
        @dispatches ||= []
      end

      def self.argument_mismatch(_method_name); end

      def self.local_types; end

      def initialize(scope)
        @scope = scope
      end

      def closure_scope
        @scope
      end

      def call_function(name, *arguments, &block)
        McLHelper.call_compiler(name, arguments, &block)
      end

      def lookup(*arguments)
        call_function('lookup', *arguments)
      end

      def environment
        raise NotImplementedError, 'the environment is not there without Puppet'
      end
    end
    InternalFunction = Class.new(Function)
    PuppetFunction = Class.new(Function)

    def self.create_function(name, base = Function, &body)
      function = Class.new(base, &body)
      simple = name.to_s[/[^:]*\z/]
      McLHelper::Functions[name.to_s] = lambda do |arguments, block|
        instance = function.new(McLHelper::Scope.new)
        dispatches = function.dispatches
        dispatches = [McLHelper::Dispatch.new(simple.to_sym)] if dispatches.empty?
        if function.dispatches.empty?
          method = simple
          scopes = []
        else
          texts = dispatches.map(&:text)
          chosen = dispatches[McLHelper.ask('kind' => 'choose', 'signatures' => texts)]
          method = chosen.method_name
          scopes = chosen.scope_parameters
        end
        scopes.each { |index| arguments.insert(index, McLHelper::Scope.new) }
        instance.send(method, *arguments, &McLHelper.block_of(block))
      end
    end
  end

  module Parser
    # The older interface of functions.
    module Functions
      def self.newfunction(name, options = {}, &body)
        McLHelper::Functions[name.to_s] = lambda do |arguments, _block|
          arity = options[:arity]
          count = arguments.length
          if arity && (arity >= 0 ? count != arity : count < -arity - 1)
            wanted = arity >= 0 ? arity.to_s : "at least #{-arity - 1}"
            raise ParseError, "#{name}(): Wrong number of arguments given (#{count} for #{wanted})"
          end
          arguments = arguments.map { |argument| argument.nil? ? '' : argument }
          scope = McLHelper::Scope.new
          scope.define_singleton_method(:__function__, &body)
          result = scope.__function__(arguments)
          options[:type] == :rvalue ? result : nil
        end
      end

      def self.function(name, *)
        McLHelper.ask('kind' => 'knows_function', 'name' => name.to_s) && "function_#{name}"
      end

      def self.autoloader
        self
      end

      def self.load(*)
        true
      end

      def self.loadall; end
    end
    Scope = McLHelper::Scope
  end

  module Util
    module Errors
    end
  end
end

# Files of modules below `lib` come from the compiler; the rest is Ruby's own library.
module Kernel
  alias mcl_helper_require require
  private :mcl_helper_require

  def require(path)
    mcl_helper_require(path)
  rescue LoadError
    return true if %w[puppet puppet/util puppet/parser puppet/functions].include?(path)

    loaded = ($mcl_helper_loaded ||= {})
    return false if loaded[path]

    text = McLHelper.ask('kind' => 'library', 'path' => path.to_s)
    raise if text.nil?

    loaded[path] = true
    eval(text, TOPLEVEL_BINDING.dup, "#{path}.rb")
    true
  end

  def require_relative(path)
    at = caller_locations(1, 1).first.path
    inside = File.expand_path(path, "/#{File.dirname(at)}")[%r{/lib/(.*)}, 1]
    require(inside || path)
  end
end
