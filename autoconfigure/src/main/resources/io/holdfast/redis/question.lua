-- What each script is run in: its reply can be told from one to another question, which a client may come upon that
-- has lost count of replies.
--
-- ARGV[#ARGV] what names the question; the script does not see it
--
-- Replies {name, what the script replies}.

local question = table.remove(ARGV)
local function reply()
  -- the script
end
return {question, reply()}
